/** What goes wrong with a call. Times are real; `delay` ends in the normal reply. */
export type FakeFault =
  | { kind: 'reset' | 'timeout' | 'truncated' }
  | { kind: 'text'; status: number; text: string }
  | { kind: 'delay'; ms: number }
  | { kind: 'rate-limit'; retryAfterSeconds?: number }
  /** `isKept`: the reply is stored under the key, so that a repeated request gets it too. */
  | { kind: 'server-error'; isKept: boolean }
  /** Changes the object of the reply. */
  | { kind: 'tamper'; change: (object: Record<string, unknown>) => void }

export interface FakeInjection {
  /** As in the table of routes: `POST /v1/payment_intents/:id/confirm`; `POST *` for all POSTs. */
  route: string
  /** Before or after the execution. */
  moment: 'before' | 'after'
  fault: FakeFault
  /** Number of calls; default 1. */
  times?: number
}

/** What decides about the fault of a call. */
export interface FaultedCall {
  account: string | null
  route: string
  path: string
  body: string
}

/** Decides the fault of each call that no injection covers. */
export type DecideFault = (call: FaultedCall, moment: FakeInjection['moment']) => Promise<FakeFault | null>

/** Faults that tests injected, used in the order of injection. */
export function createFaults() {
  const injections: (FakeInjection & { left: number })[] = []
  let decide: DecideFault | null = null
  return {
    inject: (injection: FakeInjection) => void injections.push({ ...injection, left: injection.times ?? 1 }),
    clear: () => void injections.splice(0),
    decideBy: (next: DecideFault | null) => void (decide = next),
    /** Returns the fault of this call and counts it. */
    async take(call: FaultedCall, moment: FakeInjection['moment']): Promise<FakeFault | null> {
      const { route } = call
      const method = route.slice(0, route.indexOf(' '))
      const found = injections.find(
        (each) => each.left > 0 && each.moment === moment && (each.route === route || each.route === `${method} *` || each.route === '*'),
      )
      if (!found) return (await decide?.(call, moment)) ?? null
      found.left -= 1
      return found.fault
    },
  }
}
