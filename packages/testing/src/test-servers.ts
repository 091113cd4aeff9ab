/** One PostgreSQL and one NATS for a whole run. */
export interface TestServers {
  /** Superuser, database `postgres`. */
  postgresUrl: string
  /** `host:port`; test accounts are `w0` … with the same password. */
  natsHost: string
  stop(): Promise<void>
}

/** Accounts of the NATS server: one for each worker that vitest may start. */
export const natsAccounts = 32
