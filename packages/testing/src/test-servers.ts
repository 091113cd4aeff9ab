/** One PostgreSQL and one NATS for a complete run. */
export interface TestServers {
  /** URL of the superuser and the database `postgres`. */
  postgresUrl: string
  /** `host:port`; test accounts are `w0` … with the same password. */
  natsHost: string
  stop(): Promise<void>
}

/** Accounts of the NATS server: one for each worker that vitest may start. */
export const maxNatsAccounts = 32
