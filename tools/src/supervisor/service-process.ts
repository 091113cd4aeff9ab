import { spawn, type ChildProcess } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { get } from 'node:http'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import type { Say } from '@quittance/testing/engines/engine'
import { exitOf } from '@quittance/testing/engines/guarded-process'
import { recordProcess, sendSignal } from '@quittance/testing/engines/process-record'
import type { Life } from './keep-running.ts'
import { humanLine } from './log-line.ts'

/** As every service's start script: a larger young generation collects requests' garbage less often. */
const nodeFlags = ['--max-semi-space-size=32']

export interface ServiceOptions {
  /** Shown in front of what it says: `orders`, or `orders-2` among several. */
  name: string
  /** File to run. */
  main: string
  env: NodeJS.ProcessEnv
  healthUrl: string
  logFile: string
  recordFile: string
  say: Say
}

/** How much of the standard error is kept to explain a crash. */
const lastLines = { kept: 60, shown: 12 }

/**
 * Starts one process of a service. Its own session: Ctrl-C in the terminal reaches the supervisor alone. The channel tells
 * it when the supervisor is gone, and it stops by itself.
 */
export async function startService({ name, main, env, healthUrl, logFile, recordFile, say }: ServiceOptions): Promise<Life> {
  const child = spawn(process.execPath, [...nodeFlags, main], { env, stdio: ['ignore', 'pipe', 'pipe', 'ipc'], detached: true })
  const exited = exitOf(child)
  if (child.pid) recordProcess(recordFile, child.pid)
  const lastWords = passOn(child, { logFile, say: (line) => say(`${name} ${line}`) })
  return {
    pid: child.pid ?? -1,
    exited,
    ready: untilReady(healthUrl, exited),
    lastWords,
    async stop(patienceMs) {
      if (!child.pid) return
      const pid = child.pid
      child.kill('SIGTERM')
      // The whole group: a browser of the service must not stay behind.
      const kill = setTimeout(() => sendSignal(-pid, 'SIGKILL'), patienceMs)
      await exited
      clearTimeout(kill)
    },
  }
}

/** All lines go to the log file; warnings and errors also to the terminal. Returns what it wrote last on the standard error. */
function passOn(child: ChildProcess, { logFile, say }: { logFile: string; say: Say }): () => string {
  const log = createWriteStream(logFile, { flags: 'a', mode: 0o600 })
  const tail: string[] = []
  if (child.stdout) {
    createInterface({ input: child.stdout }).on('line', (line) => {
      log.write(`${line}\n`)
      const readable = humanLine(line)
      if (readable) say(readable)
    })
  }
  if (child.stderr) {
    createInterface({ input: child.stderr }).on('line', (line) => {
      log.write(`${line}\n`)
      tail.push(line)
      if (tail.length > lastLines.kept) tail.shift()
    })
  }
  child.once('close', () => log.end())
  const isFrame = (line: string) => /^\s+at /.test(line)
  return () =>
    tail
      .filter((line) => line.trim() && !isFrame(line))
      .slice(-lastLines.shown)
      .join('\n')
}

async function untilReady(healthUrl: string, exited: Promise<string>): Promise<boolean> {
  let ended = false
  void exited.then(() => (ended = true))
  while (!ended) {
    if (await answers(healthUrl)) return true
    await Promise.race([delay(50), exited])
  }
  return false
}

export function answers(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get(url, { agent: false, timeout: 2_000 }, (response) => {
      response.resume()
      resolve(response.statusCode === 200)
    })
    request.once('timeout', () => request.destroy())
    request.once('error', () => resolve(false))
  })
}
