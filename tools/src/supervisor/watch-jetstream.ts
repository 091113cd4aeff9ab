import { statfsSync } from 'node:fs'
import type { ProgressReporter } from '@quittance/testing/engines/engine'
import type { SupervisedProcess } from './supervise-process.ts'

interface WatchOptions {
  /** Port of the monitoring endpoint of NATS. */
  monitorPort: number
  /** Folder of the streams. */
  dataDir: string
  nats: Pick<SupervisedProcess, 'pid' | 'restart'>
  report: ProgressReporter
  intervalMs?: number
  timeoutMs?: number
}

/** Checks in a row without an answer before NATS is restarted: 30 s by default. */
const maxFailures = 6
/** For a graceful stop; a server that hangs is killed then. */
const patienceMs = 5_000

/**
 * Restarts NATS once its JetStream has not answered for 30 s. After a full disk nats-server lives on without JetStream, or answers no request
 * about it, also once there is space again; only a restart ends that. While the disk is full a restart would change nothing. Returns a function that
 * ends the watch.
 */
export function watchJetStream({ monitorPort, dataDir, nats, report, intervalMs = 5_000, timeoutMs = 4_000 }: WatchOptions): () => void {
  let failures = 0
  let isChecking = false
  const check = async () => {
    if (isChecking || nats.pid() === null) return
    isChecking = true
    try {
      failures = (await isServing(monitorPort, timeoutMs)) ? 0 : failures + 1
      if (failures < maxFailures || isFull(dataDir)) return
      failures = 0
      report('JetStream of NATS does not answer, as after a full disk; restarting NATS')
      await nats.restart(patienceMs)
    } catch (error) {
      report(`NATS could not be restarted: ${(error as Error).message}`)
    } finally {
      isChecking = false
    }
  }
  const timer = setInterval(() => void check(), intervalMs).unref()
  return () => clearInterval(timer)
}

/** Less is free than a few blocks of a stream need. */
const minFreeBytes = 64 * 1024 * 1024

/** A disk whose space cannot be read is no place to start on. */
function isFull(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize < minFreeBytes
  } catch {
    return true
  }
}

async function isServing(monitorPort: number, timeoutMs: number): Promise<boolean> {
  try {
    const response = await fetch(`http://127.0.0.1:${monitorPort}/jsz`, { signal: AbortSignal.timeout(timeoutMs) })
    const { disabled } = (await response.json()) as { disabled?: boolean }
    return response.ok && !disabled
  } catch {
    return false
  }
}
