import { accessSync, constants, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import type { ProgressReporter } from '@quittance/testing/engines/engine'
import { lockFile, recordedProcess, stopRecordedProcess } from '@quittance/testing/engines/process-record'
import { limitEngineLogs, rotateLog } from './log-file.ts'

export interface DataFolder {
  path: string
  logs: string
  /** Records of the running services. */
  run: string
  /** Releases the folder for the next instance; removes a temporary one. */
  release(): void
}

const temporaryPrefix = 'quittance-ephemeral-'

/** Locks a folder for this process and stops what a killed supervisor left in it. Null creates a temporary folder. */
export async function lockDataFolder(requestedPath: string | null, report: ProgressReporter): Promise<DataFolder> {
  if (requestedPath === null) await sweepTemporaryFolders()
  const path = requestedPath === null ? mkdtempSync(join(tmpdir(), temporaryPrefix)) : resolve(requestedPath)
  const folder = { path, logs: join(path, 'logs'), run: join(path, 'run') }
  const lock = join(path, 'supervisor.pid')
  const holder = withReason(`The data folder ${path} cannot be written; choose another with --data`, () => {
    for (const each of [folder.logs, folder.run]) mkdirSync(each, { recursive: true, mode: 0o700 })
    return lockFile(lock)
  })
  if (holder !== null) throw new Error(`${path} is in use by process ${holder}. Stop it, or choose another folder with --data.`)
  // Left by a supervisor that was killed.
  rmSync(join(path, 'instance.json'), { force: true })
  await stopLeftovers(folder.run, report)
  for (const name of readdirSync(folder.logs)) if (name.endsWith('.log')) rotateLog(join(folder.logs, name))
  const stopLimiting = limitEngineLogs(path, report)
  return {
    ...folder,
    release() {
      stopLimiting()
      rmSync(requestedPath === null ? path : lock, { recursive: true, force: true })
    },
  }
}

/** Removes the ready file of an earlier run, and checks that another one can be written: otherwise that fails after everything was started. */
export function prepareReadyFile(file: string): void {
  withReason(`--ready-file ${file} cannot be written`, () => {
    accessSync(dirname(file), constants.W_OK)
    rmSync(file, { force: true })
  })
}

function withReason<Result>(what: string, work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    throw new Error(`${what}: ${(error as Error).message}`, { cause: error })
  }
}

/** Stops services left over from a killed supervisor. They stop when it is gone, but one that hangs would block its port. */
async function stopLeftovers(run: string, report: ProgressReporter): Promise<void> {
  await Promise.all(
    readdirSync(run).map(async (name) => {
      const stopped = await stopRecordedProcess(join(run, name), { signal: 'SIGTERM', timeoutMs: 5_000 })
      if (stopped) report(`stopped ${name.replace('.pid', '')}, left by a run that was killed`)
    }),
  )
}

/** Removes temporary folders of killed supervisors of this user, which were created at least `minAgeMs` ago. */
export async function sweepTemporaryFolders(minAgeMs = 60_000): Promise<void> {
  for (const name of readdirSync(tmpdir()).filter((each) => each.startsWith(temporaryPrefix))) {
    const path = join(tmpdir(), name)
    const { uid, ctimeMs } = statSync(path, { throwIfNoEntry: false }) ?? {}
    // Those of other users can neither be read nor removed.
    if (ctimeMs === undefined || uid !== process.getuid?.() || Date.now() - ctimeMs < minAgeMs) continue
    if (recordedProcess(join(path, 'supervisor.pid'))) continue
    if (recordedProcess(join(path, 'nats.pid'))) continue
    rmSync(path, { recursive: true, force: true })
  }
}
