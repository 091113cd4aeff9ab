import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Call } from './slow-processor.ts'
import type { OrdersUnderTest } from './start-orders.ts'

/** A second replica in a separate process, which hangs in one kind of call. */
export interface HangingReplica extends AsyncDisposable {
  /** Ids of the rows in whose calls it hangs. */
  hanging(): string[]
  /** Ends it as a crash does. */
  kill(): Promise<void>
}

export async function startHangingReplica(
  { databaseUrl, config }: OrdersUnderTest,
  { call, moment }: { call: Call; moment: 'before' | 'after' },
): Promise<HangingReplica> {
  const folder = mkdtempSync(join(tmpdir(), 'hanging-replica-'))
  const file = join(folder, 'calls')
  writeFileSync(file, '')
  const env = { ...process.env, ...config, DATABASE_URL: databaseUrl ?? '', HEALTH_PORT: '0' } as unknown as NodeJS.ProcessEnv
  const replica: ChildProcess = fork(new URL('hanging-replica.ts', import.meta.url), [file, call, moment], { env, stdio: 'inherit' })
  await once(replica, 'message')
  const kill = async () => {
    if (replica.exitCode !== null || replica.signalCode !== null) return
    replica.kill('SIGKILL')
    await once(replica, 'exit')
  }
  return {
    hanging: () => readFileSync(file, 'utf8').split('\n').filter(Boolean),
    kill,
    async [Symbol.asyncDispose]() {
      await kill()
      rmSync(folder, { recursive: true })
    },
  }
}
