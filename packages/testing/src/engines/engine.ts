/** A server that Quittance starts when none is given: PostgreSQL or NATS. */
export interface Engine {
  pid: number
  port: number
  /** Resolves with how it ended, in words. */
  exited: Promise<string>
  /** Clean stop; killed when that takes longer than the patience. */
  stop(patienceMs?: number): Promise<void>
}

/** Tells the person in front of the terminal what takes time. */
export type Say = (line: string) => void
