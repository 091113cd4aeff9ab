import { setTimeout as pause } from 'node:timers/promises'

interface Patience {
  /** Longest wait in milliseconds before the last failure is thrown; a minute unless told: a busy machine is no fault. */
  withinMs?: number
}

/** Repeats an assertion until it holds, and gives its value. Waits on the condition, never on time. */
export async function eventually<T>(assertion: () => T | Promise<T>, { withinMs = 60_000 }: Patience = {}): Promise<T> {
  const end = Date.now() + withinMs
  for (;;) {
    try {
      return await assertion()
    } catch (error) {
      if (Date.now() > end) throw error
      await pause(20)
    }
  }
}
