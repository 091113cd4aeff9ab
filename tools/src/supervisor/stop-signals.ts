const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** A terminal and npm both pass one Ctrl-C on; what comes later is a second one. */
const sameKeyMs = 1_000

/**
 * Calls `stop` once on the first signal, or when the process that started us is gone, and ends the process with the code it gives.
 * A second Ctrl-C ends it at once: the guardians of the children stop them.
 */
export function onStopSignals(stop: (reason: string) => Promise<number>): void {
  let stoppingSince: number | null = null
  const begin = (reason: string) => {
    if (stoppingSince !== null) {
      if (reason === 'SIGINT' && Date.now() - stoppingSince > sameKeyMs) process.exit(130)
      return
    }
    stoppingSince = Date.now()
    stop(reason).then(
      (code) => process.exit(code),
      (error: unknown) => {
        console.error(error)
        process.exit(1)
      },
    )
  }
  for (const signal of signals) process.on(signal, () => begin(signal))
  process.once('disconnect', () => begin('the process that started it is gone'))
  process.channel?.unref()
  // Nobody reads any more: not a reason to die before the children are stopped.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
}
