const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** A terminal and npm both forward one Ctrl-C; a signal after this time is a second one. */
const sameKeyMs = 1_000

/**
 * Calls `stop` once on the first signal, when the parent process is gone, or after an unexpected error, and exits with the code it returns; 1
 * after an error. A second Ctrl-C exits immediately: the watchers of the child processes stop them.
 */
export function handleStopSignals(stop: (reason: string) => Promise<number>): void {
  let stoppingSince: number | null = null
  let hasFailed = false
  const begin = (reason: string) => {
    if (stoppingSince !== null) {
      if (reason === 'SIGINT' && Date.now() - stoppingSince > sameKeyMs) process.exit(130)
      return
    }
    stoppingSince = Date.now()
    stop(reason).then(
      (code) => process.exit(hasFailed ? 1 : code),
      (error: unknown) => {
        console.error(error)
        process.exit(1)
      },
    )
  }
  for (const signal of signals) process.on(signal, () => begin(signal))
  // Child processes are stopped in order, as after a signal.
  process.on('uncaughtException', (error) => {
    hasFailed = true
    console.error(error)
    begin('an unexpected error')
  })
  process.once('disconnect', () => begin('the parent process is gone'))
  process.channel?.unref()
  // No reader is left: not a reason to exit before the child processes are stopped.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
}
