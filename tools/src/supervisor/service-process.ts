import { spawn, type ChildProcess } from 'node:child_process'
import { get } from 'node:http'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import type { ProgressReporter } from '@quittance/testing/engines/engine'
import { describeExit } from '@quittance/testing/engines/guarded-process'
import { recordProcess, sendSignal } from '@quittance/testing/engines/process-record'
import type { ProcessRun } from './supervise-process.ts'
import { openLogFile } from './log-file.ts'
import { formatLogLine } from './log-line.ts'

/** As in every service's start script: a larger young generation collects the garbage of requests less often. */
const nodeFlags = ['--max-semi-space-size=32']

export interface ServiceOptions {
  /** Prefix of its messages: `orders`, or `orders-2` if there are several. */
  name: string
  /** File to run. */
  main: string
  env: NodeJS.ProcessEnv
  healthUrl: string
  logFile: string
  recordFile: string
  report: ProgressReporter
}

/** Lines of standard error kept to explain a crash. */
const lastLines = { kept: 60, shown: 12 }

/**
 * Starts one process of a service in a separate session: Ctrl-C in the terminal reaches the supervisor only. The closed channel notifies it
 * that the supervisor is gone, and it stops.
 */
export async function startService({ name, main, env, healthUrl, logFile, recordFile, report }: ServiceOptions): Promise<ProcessRun> {
  const child = spawn(process.execPath, [...nodeFlags, main], { env, stdio: ['ignore', 'pipe', 'pipe', 'ipc'], detached: true })
  const exited = describeExit(child)
  if (child.pid) tryToRecord(recordFile, child.pid)
  const readTail = forwardOutput(child, { logFile, report: (line) => report(`${name} ${line}`) })
  return {
    pid: child.pid ?? -1,
    exited,
    ready: waitUntilReady(healthUrl, exited),
    lastWords: readTail,
    async stop(patienceMs) {
      if (!child.pid) return
      const pid = child.pid
      child.kill('SIGTERM')
      // Kills the whole process group: a browser of the service must not be left behind.
      const kill = setTimeout(() => sendSignal(-pid, 'SIGKILL'), patienceMs)
      await exited
      clearTimeout(kill)
    },
  }
}

/** On a full disk the process runs without a record, which only the next supervisor needs if this one is killed. */
function tryToRecord(file: string, pid: number): void {
  try {
    recordProcess(file, pid)
  } catch {
    // The log file reports the same reason.
  }
}

/** Writes all lines to the log file, and warnings and errors to the terminal too. Returns the last output on standard error. */
function forwardOutput(child: ChildProcess, { logFile, report }: { logFile: string; report: ProgressReporter }): () => string {
  const log = openLogFile(logFile, { report })
  const tail: string[] = []
  if (child.stdout) {
    createInterface({ input: child.stdout }).on('line', (line) => {
      log.write(line)
      const readable = formatLogLine(line)
      if (readable) report(readable)
    })
  }
  if (child.stderr) {
    createInterface({ input: child.stderr }).on('line', (line) => {
      log.write(line)
      tail.push(line)
      if (tail.length > lastLines.kept) tail.shift()
    })
  }
  const isFrame = (line: string) => /^\s+at /.test(line)
  return () =>
    tail
      .filter((line) => line.trim() && !isFrame(line))
      .slice(-lastLines.shown)
      .join('\n')
}

async function waitUntilReady(healthUrl: string, exited: Promise<string>): Promise<boolean> {
  let ended = false
  void exited.then(() => (ended = true))
  while (!ended) {
    if (await isServing(healthUrl)) return true
    await Promise.race([delay(100), exited])
  }
  return false
}

export function isServing(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get(url, { agent: false, timeout: 2_000 }, (response) => {
      response.resume()
      resolve(response.statusCode === 200)
    })
    request.once('timeout', () => request.destroy())
    request.once('error', () => resolve(false))
  })
}
