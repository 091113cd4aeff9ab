/** A server that Quittance starts if none is configured: PostgreSQL or NATS. */
export interface Engine {
  pid: number
  port: number
  /** Resolves with a description of how it ended. */
  exited: Promise<string>
  /** Stops gracefully; kills the process after `patienceMs`. */
  stop(timeoutMs?: number): Promise<void>
}

/** Reports slow steps to the user at the terminal. */
export type ProgressReporter = (line: string) => void
