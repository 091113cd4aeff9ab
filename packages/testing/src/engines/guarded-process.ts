/** Starts a server so that it cannot outlive us, not even when we are killed outright. */
import { spawn, type ChildProcess } from 'node:child_process'
import { closeSync, openSync, readSync, fstatSync } from 'node:fs'
import { sendSignal } from './process-record.ts'

/**
 * A watcher reads the standard input, which ends when the last holder of its other side is gone, and then stops the server. The shell
 * becomes the server, so its process id is the one we know; the watcher is handed to init, so the server never meets an unknown child.
 */
const guardian = `
exec 3<&0 </dev/null
( ( trap '' INT TERM HUP; exec >/dev/null 2>&1; read -r _ <&3; kill -s "$0" $$ ) & )
exec 3<&-
exec "$@"`

export interface GuardedOptions {
  command: string
  args: readonly string[]
  /** Receives both outputs. A file rather than a pipe: the server can write its farewell after we are gone. */
  logFile: string
  /** Signal of a clean stop. */
  signal: 'INT' | 'TERM'
  env?: NodeJS.ProcessEnv
  uid?: number
  gid?: number
}

export interface GuardedProcess {
  pid: number
  /** Resolves with how it ended, in words. */
  exited: Promise<string>
  /** What it has written since it was started. */
  output(): string
  /** Clean stop; killed when that takes longer than the patience. */
  stop(patienceMs: number): Promise<void>
}

/** Its own session: Ctrl-C in the terminal reaches the supervisor alone, which stops things in order. */
export function startGuarded({ command, args, logFile, signal, env = process.env, ...user }: GuardedOptions): GuardedProcess {
  const log = openSync(logFile, 'a+', 0o600)
  const from = fstatSync(log).size
  const child = spawn('/bin/sh', ['-c', guardian, signal, command, ...args], { stdio: ['pipe', log, log], detached: true, env, ...user })
  closeSync(log)
  const exited = exitOf(child)
  return {
    pid: child.pid ?? -1,
    exited,
    output: () => readFrom(logFile, from),
    async stop(patienceMs) {
      if (!child.pid) return
      const pid = child.pid
      const kill = setTimeout(() => sendSignal(pid, 'SIGKILL'), patienceMs)
      if (child.exitCode === null && child.signalCode === null) sendSignal(pid, `SIG${signal}`)
      await exited
      clearTimeout(kill)
    },
  }
}

export function exitOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve(signal ? `was ended by ${signal}` : `ended with code ${code}`))
    child.once('error', (error) => resolve(`could not be started: ${error.message}`))
  })
}

function readFrom(file: string, position: number): string {
  const descriptor = openSync(file, 'r')
  const bytes = Buffer.alloc(Math.max(0, fstatSync(descriptor).size - position))
  readSync(descriptor, bytes, 0, bytes.length, position)
  closeSync(descriptor)
  return bytes.toString()
}
