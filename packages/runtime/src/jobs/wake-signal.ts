/** A wait that `wake` can end early, also if called before the wait starts. */
export interface WakeSignal {
  /** Ends one wait. Calls before it has continued count as one. */
  wake(): void
  /** Resolves after `ms` milliseconds or when woken, whichever comes first. Of several waits, only the time of the last one counts. */
  wait(ms: number): Promise<void>
}

/** A wake-up is remembered until the next wait, so one between two runs is not lost. */
export function createWakeSignal(): WakeSignal {
  const waiting: (() => void)[] = []
  let isWoken = false
  let timer: NodeJS.Timeout | undefined

  function wake(): void {
    if (isWoken) return
    isWoken = true
    waiting.shift()?.()
    if (waiting.length === 0) clearTimeout(timer)
  }
  return {
    wake,
    async wait(ms) {
      if (!isWoken) {
        clearTimeout(timer)
        timer = setTimeout(wake, ms)
        await new Promise<void>((resolve) => waiting.push(resolve))
      }
      isWoken = false
    },
  }
}
