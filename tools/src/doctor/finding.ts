/** The result of one check on this machine. */
export interface Finding {
  what: string
  /** `missing` prevents the system from starting here; `warning` does not. */
  state: 'ok' | 'warning' | 'missing'
  message: string
  /** How to resolve it; only if an action is needed. */
  advice?: string
}

export const ok = (what: string, message: string): Finding => ({ what, state: 'ok', message })
export const missing = (what: string, message: string, advice: string): Finding => ({ what, state: 'missing', message, advice })
export const warning = (what: string, message: string, advice: string): Finding => ({ what, state: 'warning', message, advice })
