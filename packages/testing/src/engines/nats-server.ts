import { mkdirSync } from 'node:fs'
import { connect } from 'node:net'
import { resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { NatsUser } from '@quittance/contracts/nats-users'
import type { Engine, ProgressReporter } from './engine.ts'
import { findNatsServer } from './find-nats-server.ts'
import { freePorts } from './free-ports.ts'
import { startManagedProcess, type ManagedProcess } from './guarded-process.ts'
import { reloadNatsConfig, writeNatsConfig, type NatsConfigFileOptions } from './nats-config-file.ts'
import { stopRecordedProcess, recordProcess } from './process-record.ts'

export interface NatsServerOptions {
  /** Folder of the streams. Next to it: `‹dataDir›.conf`, `.log`, `.pid` and `.passwords`. */
  dataDir: string
  port?: number
  monitorPort?: number
  /** See `natsConfig`. */
  testAccounts?: number
  /** See `natsConfig`. */
  transitional?: boolean
  /** Path of a nats-server; default: the result of `findNatsServer`. */
  program?: string
  report?: ProgressReporter
}

export interface NatsServer extends Engine {
  /** Returns the URL with the credentials of a user; test accounts are `w0`, `w1`, … */
  url(user: NatsUser | `w${number}`): string
  /** Port of the monitoring endpoint. */
  monitorPort: number
  /** Path of the program in use. */
  program: string
  /** Applies the permissions of the contracts on disk, without a restart. */
  reload(): Promise<void>
}

const startDeadlineMs = 30_000

/** Starts nats-server with JetStream on a folder. Streams are preserved; a server left by an earlier run is stopped first. */
export async function startNatsServer(options: NatsServerOptions): Promise<NatsServer> {
  const dataDir = resolve(options.dataDir)
  const report = options.report ?? (() => {})
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  // Two servers on one folder would corrupt the streams.
  if (await stopRecordedProcess(`${dataDir}.pid`, { signal: 'SIGTERM', timeoutMs: 5_000 }))
    report('stopped nats-server, left by a run that was killed')
  const program = options.program ?? (await findNatsServer(report))
  const [port, monitorPort] = await choosePorts(options)
  const config: NatsConfigFileOptions = {
    dataDir,
    port,
    monitorPort,
    ...(options.testAccounts !== undefined && { testAccounts: options.testAccounts }),
    transitional: options.transitional ?? false,
  }
  const passwords = writeNatsConfig(config)
  const server = startManagedProcess({ command: program, args: ['-c', `${dataDir}.conf`], logFile: `${dataDir}.log`, signal: 'TERM' })
  await recordOrStop(server, `${dataDir}.pid`)
  await waitUntilReady(server, port)
  return {
    pid: server.pid,
    port,
    monitorPort,
    program,
    exited: server.exited,
    reload: () => reloadNatsConfig(config),
    stop: (timeoutMs = 5_000) => server.stop(timeoutMs),
    url: (user) => `nats://${user}:${user in passwords ? passwords[user as NatsUser] : user}@127.0.0.1:${port}`,
  }
}

/** A server without a record would be a second one on the folder after the next start. */
async function recordOrStop(server: ManagedProcess, file: string): Promise<void> {
  try {
    recordProcess(file, server.pid)
  } catch (error) {
    await server.stop(2_000)
    throw error
  }
}

async function choosePorts({ port, monitorPort }: NatsServerOptions): Promise<[number, number]> {
  const [first, second] = (await freePorts(2)) as [number, number]
  return [port ?? first, monitorPort ?? second]
}

async function waitUntilReady(server: ManagedProcess, port: number): Promise<void> {
  let ended: string | null = null
  void server.exited.then((exit) => (ended = exit))
  for (const start = Date.now(); Date.now() - start < startDeadlineMs; await delay(20)) {
    if (ended) throw new Error(`nats-server ${ended}:\n${server.output().trim()}`)
    if (await isGreeting(port)) return
  }
  await server.stop(2_000)
  throw new Error(`nats-server was not ready after ${startDeadlineMs / 1000} s:\n${server.output().trim()}`)
}

/** A NATS server sends the first message, after streams are recovered. */
function isGreeting(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', timeout: 1_000 })
    const done = (ready: boolean) => {
      socket.destroy()
      resolve(ready)
    }
    socket.once('data', (bytes) => done(bytes.toString().startsWith('INFO ')))
    socket.once('error', () => done(false))
    socket.once('timeout', () => done(false))
    socket.once('close', () => resolve(false))
  })
}
