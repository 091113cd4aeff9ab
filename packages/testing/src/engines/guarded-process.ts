/** Starts a server so that it cannot outlive this process, even if this process is killed. */
import { spawn, type ChildProcess } from 'node:child_process'
import { closeSync, openSync, readSync, fstatSync } from 'node:fs'
import { sendSignal } from './process-record.ts'

/**
 * A watcher reads the standard input, which ends when the last process with the other end exits, and then stops the server; it kills one that
 * hangs, for example on a full disk. The shell replaces itself by the server, so its process id is known; the watcher is reparented to init, so
 * the server never has an unknown child.
 */
const guardian = `
patience=$1; shift
exec 3<&0 </dev/null
( (
  trap '' INT TERM HUP; exec >/dev/null 2>&1; read -r _ <&3; kill -s "$0" $$ || exit
  while [ "$patience" -gt 0 ]; do sleep 1; kill -0 $$ || exit; patience=$((patience - 1)); done
  kill -s KILL $$
) & )
exec 3<&-
exec "$@"`

/** Time after which a server is killed that does not stop although this process is gone: longer than PostgreSQL writes a checkpoint. */
const defaultOrphanPatienceSeconds = 60

export interface ChildProcessOptions {
  command: string
  args: readonly string[]
  /** Receives both outputs. A file instead of a pipe: the server can write its last messages after this process has ended. */
  logFile: string
  /** Signal of a graceful stop. */
  signal: 'INT' | 'TERM'
  env?: NodeJS.ProcessEnv
  uid?: number
  gid?: number
  /** Time after which the server is killed that does not stop although this process is gone. */
  orphanPatienceSeconds?: number
}

export interface ManagedProcess {
  pid: number
  /** Resolves with a description of how it ended. */
  exited: Promise<string>
  /** Returns the output since the start. */
  output(): string
  /** Stops gracefully; kills the process after `patienceMs`. */
  stop(timeoutMs: number): Promise<void>
}

/** Starts a process in its own session: Ctrl-C in the terminal reaches only the supervisor, which stops components in order. */
export function startManagedProcess(options: ChildProcessOptions): ManagedProcess {
  const { command, args, logFile, signal, env = process.env, orphanPatienceSeconds = defaultOrphanPatienceSeconds, ...user } = options
  const log = openSync(logFile, 'a+', 0o600)
  const from = fstatSync(log).size
  const shellArgs = ['-c', guardian, signal, String(orphanPatienceSeconds), command, ...args]
  const child = spawn('/bin/sh', shellArgs, { stdio: ['pipe', log, log], detached: true, env, ...user })
  closeSync(log)
  const exited = describeExit(child)
  return {
    pid: child.pid ?? -1,
    exited,
    output: () => readFrom(logFile, from),
    async stop(timeoutMs) {
      if (!child.pid) return
      const pid = child.pid
      const kill = setTimeout(() => sendSignal(pid, 'SIGKILL'), timeoutMs)
      if (child.exitCode === null && child.signalCode === null) sendSignal(pid, `SIG${signal}`)
      await exited
      clearTimeout(kill)
    },
  }
}

export function describeExit(child: ChildProcess): Promise<string> {
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
