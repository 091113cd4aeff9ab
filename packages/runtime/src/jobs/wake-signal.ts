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
  let intervalMs = 0

  function wake(): void {
    if (isWoken) return
    isWoken = true
    waiting.shift()?.()
    if (waiting.length === 0) clearTimeout(timer)
  }
  /** Those that still wait continue at intervals too, because the first one may work for long. */
  function wakeInTime(): void {
    wake()
    if (waiting.length > 0) timer = setTimeout(wakeInTime, intervalMs)
  }
  return {
    wake,
    async wait(ms) {
      if (!isWoken) {
        clearTimeout(timer)
        intervalMs = ms
        timer = setTimeout(wakeInTime, ms)
        await new Promise<void>((resolve) => waiting.push(resolve))
      }
      isWoken = false
    },
  }
}
