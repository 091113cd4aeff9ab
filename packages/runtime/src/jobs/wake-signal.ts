/** A wait that `wake` can end early, also if called before the wait starts. */
export interface WakeSignal {
  wake(): void
  /** Resolves after `ms` milliseconds or when woken, whichever comes first. */
  wait(ms: number): Promise<void>
}

/** A wake-up is remembered until the next wait, so one between two runs is not lost. */
export function createWakeSignal(): WakeSignal {
  let isWoken = false
  let wakeUp: (() => void) | null = null
  return {
    wake() {
      isWoken = true
      wakeUp?.()
    },
    async wait(ms) {
      if (!isWoken) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms)
          wakeUp = () => {
            clearTimeout(timer)
            resolve()
          }
        })
      }
      isWoken = false
      wakeUp = null
    },
  }
}
