import { setTimeout as pause } from 'node:timers/promises'

interface EventuallyOptions {
  /** Maximum wait in milliseconds before the last error is thrown. Default one minute, because a slow machine is not an error. */
  withinMs?: number
}

/** Repeats an assertion until it holds, and returns its value. Waits for the condition, not for a fixed time. */
export async function eventually<T>(assertion: () => T | Promise<T>, { withinMs = 60_000 }: EventuallyOptions = {}): Promise<T> {
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
