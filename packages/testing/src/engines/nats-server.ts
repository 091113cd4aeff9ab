import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { dirname, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { natsUsers, type NatsUser } from '@quittance/contracts/permissions'
import type { Engine, Say } from './engine.ts'
import { findNatsServer } from './find-nats-server.ts'
import { freePorts } from './free-ports.ts'
import { startGuarded, type GuardedProcess } from './guarded-process.ts'
import { natsConfig, quote } from './nats-config.ts'
import { endRecorded, recordProcess } from './process-record.ts'

export interface NatsServerOptions {
  /** Folder of the streams. Beside it: `‹dataDir›.conf`, `.log`, `.pid` and `.passwords`. */
  dataDir: string
  port?: number
  monitorPort?: number
  /** See `natsConfig`. */
  testAccounts?: number
  say?: Say
}

export interface NatsServer extends Engine {
  /** URL with the credentials of a user; test accounts are `w0`, `w1`, … */
  url(user: NatsUser | `w${number}`): string
  /** Path of the program that was found. */
  program: string
}

const startDeadlineMs = 30_000

/** Starts nats-server with JetStream on a folder. Streams survive; what an earlier run left is stopped first. */
export async function startNatsServer(options: NatsServerOptions): Promise<NatsServer> {
  const dataDir = resolve(options.dataDir)
  const say = options.say ?? (() => {})
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  // Two servers on one folder would destroy the streams.
  if (await endRecorded(`${dataDir}.pid`, { signal: 'SIGTERM', patienceMs: 5_000 }))
    say('stopped nats-server, left by a run that was killed')
  const program = await findNatsServer(say)
  const passwords = usersPasswords(`${dataDir}.passwords`)
  const [port, monitorPort] = await ports(options)
  const config = natsConfig({
    listen: `127.0.0.1:${port}`,
    monitor: `127.0.0.1:${monitorPort}`,
    storeDir: dataDir,
    passwordOf: (user) => quote(passwords[user]),
    ...(options.testAccounts !== undefined && { testAccounts: options.testAccounts }),
  })
  writeFileSync(`${dataDir}.conf`, config, { mode: 0o600 })
  const server = startGuarded({ command: program, args: ['-c', `${dataDir}.conf`], logFile: `${dataDir}.log`, signal: 'TERM' })
  recordProcess(`${dataDir}.pid`, server.pid)
  await untilReady(server, port)
  return {
    pid: server.pid,
    port,
    program,
    exited: server.exited,
    stop: (patienceMs = 5_000) => server.stop(patienceMs),
    url: (user) => `nats://${user}:${user in passwords ? passwords[user as NatsUser] : user}@127.0.0.1:${port}`,
  }
}

async function ports({ port, monitorPort }: NatsServerOptions): Promise<[number, number]> {
  const [first, second] = (await freePorts(2)) as [number, number]
  return [port ?? first, monitorPort ?? second]
}

function usersPasswords(file: string): Record<NatsUser, string> {
  mkdirSync(dirname(file), { recursive: true })
  const known: Partial<Record<NatsUser, string>> = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
  const all = Object.fromEntries(natsUsers.map((user) => [user, known[user] ?? randomBytes(24).toString('hex')]))
  writeFileSync(file, JSON.stringify(all, null, 2), { mode: 0o600 })
  return all as Record<NatsUser, string>
}

async function untilReady(server: GuardedProcess, port: number): Promise<void> {
  let ended: string | null = null
  void server.exited.then((how) => (ended = how))
  for (const start = Date.now(); Date.now() - start < startDeadlineMs; await delay(20)) {
    if (ended) throw new Error(`nats-server ${ended}:\n${server.output().trim()}`)
    if (await greets(port)) return
  }
  await server.stop(2_000)
  throw new Error(`nats-server was not ready after ${startDeadlineMs / 1000} s:\n${server.output().trim()}`)
}

/** A NATS server speaks first, once streams are recovered. */
function greets(port: number): Promise<boolean> {
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
