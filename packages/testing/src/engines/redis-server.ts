import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '../eventually.ts'
import { installWithApt, canUseApt, onPath } from './find-program.ts'
import { freePorts } from './free-ports.ts'
import { describeExit } from './guarded-process.ts'

/** A Valkey or Redis server without persistence. */
export interface RedisServer extends AsyncDisposable {
  url: string
  /** Kills the process; connections break. */
  kill(): Promise<void>
  /** Starts it again on the same port. */
  start(): Promise<void>
  /** Suspends the process: it accepts connections but never replies. */
  freeze(): void
  thaw(): void
}

/** Starts a server for tests only: the rate limiter's shared store is optional, so `npm start` does not include one. */
export async function startRedisServer(): Promise<RedisServer> {
  const program = await findRedisServer()
  const [port] = (await freePorts(1)) as [number]
  const folder = mkdtempSync(join(tmpdir(), 'quittance-redis-'))
  let running = await launch()

  async function launch() {
    const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', folder]
    // Debian's checker and server are one program that behaves according to its name.
    const child = spawn(program, args, { argv0: 'redis-server', stdio: 'ignore' })
    const exited = describeExit(child)
    await eventually(() => ping(port))
    return { child, exited }
  }

  async function kill(): Promise<void> {
    running.child.kill('SIGKILL')
    await running.exited
  }

  return {
    url: `redis://127.0.0.1:${port}`,
    kill,
    start: async () => void (running = await launch()),
    freeze: () => void running.child.kill('SIGSTOP'),
    thaw: () => void running.child.kill('SIGCONT'),
    async [Symbol.asyncDispose]() {
      await kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** The package of tools contains the program and, unlike the server's package, starts nothing. */
async function findRedisServer(): Promise<string> {
  const names = ['valkey-server', 'redis-server', 'redis-check-rdb']
  const found = onPath(...names)
  if (found) return found
  const failure = canUseApt()
    ? await installWithApt(['install', '-q', '-y', '--no-install-recommends', 'redis-tools'])
    : 'apt-get is not available'
  const installed = onPath(...names)
  if (installed) return installed
  throw new Error(`No Valkey or Redis server was found, and none was installed: ${failure}. Install valkey-server or redis-server.`)
}

function ping(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', timeout: 1_000 }, () => socket.write('PING\r\n'))
    const end = (error?: Error) => {
      socket.destroy()
      if (error) reject(error)
      else resolve()
    }
    socket.once('data', (bytes) => end(bytes.toString().startsWith('+PONG') ? undefined : new Error(bytes.toString())))
    socket.once('error', end)
    socket.once('timeout', () => end(new Error('no reply')))
  })
}
