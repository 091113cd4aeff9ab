import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Say } from '@quittance/testing/engines/engine'
import { endRecorded, recordedProcess, recordProcess } from '@quittance/testing/engines/process-record'

export interface DataFolder {
  path: string
  logs: string
  /** Records of the running services. */
  run: string
  /** Lets the next instance have it; removes a temporary one. */
  release(): void
}

const temporaryPrefix = 'quittance-ephemeral-'
const largestLog = 20 * 1024 * 1024

/** Takes a folder for this process alone and stops what a killed supervisor left in it. Null makes a temporary folder. */
export async function takeDataFolder(given: string | null, say: Say): Promise<DataFolder> {
  if (given === null) await sweepTemporaryFolders()
  const path = given === null ? mkdtempSync(join(tmpdir(), temporaryPrefix)) : resolve(given)
  const folder = { path, logs: join(path, 'logs'), run: join(path, 'run') }
  for (const each of [folder.logs, folder.run]) mkdirSync(each, { recursive: true, mode: 0o700 })
  const lock = join(path, 'supervisor.pid')
  const holder = recordedProcess(lock)
  if (holder) throw new Error(`${path} is in use by process ${holder}. Stop it, or choose another folder with --data.`)
  recordProcess(lock, process.pid)
  await stopLeftovers(folder.run, say)
  for (const name of readdirSync(folder.logs)) rotate(join(folder.logs, name))
  return {
    ...folder,
    release: () => rmSync(given === null ? path : lock, { recursive: true, force: true }),
  }
}

/** Services stop by themselves when their supervisor is gone; one that hangs would keep its port. */
async function stopLeftovers(run: string, say: Say): Promise<void> {
  await Promise.all(
    readdirSync(run).map(async (name) => {
      const stopped = await endRecorded(join(run, name), { signal: 'SIGTERM', patienceMs: 5_000 })
      if (stopped) say(`stopped ${name.replace('.pid', '')}, left by a run that was killed`)
    }),
  )
}

/** Temporary folders whose supervisor was killed. */
async function sweepTemporaryFolders(): Promise<void> {
  for (const name of readdirSync(tmpdir()).filter((each) => each.startsWith(temporaryPrefix))) {
    const path = join(tmpdir(), name)
    if (recordedProcess(join(path, 'supervisor.pid')) || Date.now() - statSync(path).ctimeMs < 60_000) continue
    if (recordedProcess(join(path, 'nats.pid'))) continue
    rmSync(path, { recursive: true, force: true })
  }
}

function rotate(log: string): void {
  if (!log.endsWith('.1') && statSync(log).size > largestLog) renameSync(log, `${log}.1`)
}
