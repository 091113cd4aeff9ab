import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import type { OrdersUnderTest } from '../start-orders.ts'

/** A replica in a separate process. */
export interface KilledReplica {
  /** Ends it as a crash does: nothing is completed. */
  kill(): Promise<void>
}

/** Starts a replica whose leases do not end by themselves while it is hanging, so that it stays between its two steps. */
export async function startKilledReplica({ config }: OrdersUnderTest): Promise<KilledReplica> {
  const settings = { ...config, HEALTH_PORT: '0', JOB_LEASE_MS: '60000', CONFIRM_WAIT_MS: '2000' }
  const env = { ...process.env, ...settings } as unknown as NodeJS.ProcessEnv
  const replica: ChildProcess = fork(new URL('killed-replica.ts', import.meta.url), [], { env, stdio: 'inherit' })
  await once(replica, 'message')
  return {
    async kill() {
      replica.kill('SIGKILL')
      await once(replica, 'exit')
    },
  }
}
