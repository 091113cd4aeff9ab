/** What was looked at on this machine, and how it is. */
export interface Finding {
  what: string
  /** `missing` keeps the system from starting here; `worth knowing` does not. */
  state: 'ok' | 'worth knowing' | 'missing'
  says: string
  /** How to get it; only where something is to be done. */
  advice?: string
}

export const ok = (what: string, says: string): Finding => ({ what, state: 'ok', says })
export const missing = (what: string, says: string, advice: string): Finding => ({ what, state: 'missing', says, advice })
export const worthKnowing = (what: string, says: string, advice: string): Finding => ({ what, state: 'worth knowing', says, advice })
