import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '../eventually.ts'
import { apt, canUseApt, onPath } from './find-program.ts'
import { freePorts } from './free-ports.ts'
import { exitOf } from './guarded-process.ts'

/** A Valkey or Redis server that keeps nothing. */
export interface RedisServer extends AsyncDisposable {
  url: string
  /** Kills it; connections break. */
  kill(): Promise<void>
  /** Starts it again on its port. */
  start(): Promise<void>
  /** Stops its process without ending it: it accepts, and never answers. */
  freeze(): void
  thaw(): void
}

/** For tests alone: the limiter's shared store is optional, so `npm start` brings none. */
export async function startRedisServer(): Promise<RedisServer> {
  const program = await findRedisServer()
  const [port] = (await freePorts(1)) as [number]
  const folder = mkdtempSync(join(tmpdir(), 'quittance-redis-'))
  let running = await launch()

  async function launch() {
    const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', folder]
    // Debian's checker and server are one program that goes by the name it is called.
    const child = spawn(program, args, { argv0: 'redis-server', stdio: 'ignore' })
    const exited = exitOf(child)
    await eventually(() => greets(port))
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

/** The package of tools holds the program and, unlike that of the server, starts nothing by itself. */
async function findRedisServer(): Promise<string> {
  const names = ['valkey-server', 'redis-server', 'redis-check-rdb']
  const found = onPath(...names)
  if (found) return found
  const failure = canUseApt() ? await apt(['install', '-q', '-y', '--no-install-recommends', 'redis-tools']) : 'apt-get cannot be used here'
  const installed = onPath(...names)
  if (installed) return installed
  throw new Error(`No Valkey or Redis server was found, and none was installed: ${failure}. Install valkey-server or redis-server.`)
}

function greets(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', timeout: 1_000 }, () => socket.write('PING\r\n'))
    const end = (error?: Error) => {
      socket.destroy()
      if (error) reject(error)
      else resolve()
    }
    socket.once('data', (bytes) => end(bytes.toString().startsWith('+PONG') ? undefined : new Error(bytes.toString())))
    socket.once('error', end)
    socket.once('timeout', () => end(new Error('no answer')))
  })
}
