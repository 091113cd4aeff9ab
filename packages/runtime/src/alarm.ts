/** A wait that can be cut short: by `ring`, at any time, also before the wait begins. */
export interface Alarm {
  ring(): void
  /** Resolves after `ms` or when rung, whichever comes first. */
  wait(ms: number): Promise<void>
}

/** A ring is remembered until the next wait, so a wake-up between two runs is not lost. */
export function createAlarm(): Alarm {
  let rung = false
  let wakeUp: (() => void) | null = null
  return {
    ring() {
      rung = true
      wakeUp?.()
    },
    async wait(ms) {
      if (!rung) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms)
          wakeUp = () => {
            clearTimeout(timer)
            resolve()
          }
        })
      }
      rung = false
      wakeUp = null
    },
  }
}
