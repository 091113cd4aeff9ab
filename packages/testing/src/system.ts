import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { ServiceName } from '@quittance/contracts/services'
import { Client, type QueryResultRow } from 'pg'
import { createDisposableFolder } from './engines/disposable-folder.ts'
import { eventually } from './eventually.ts'
import type { DemoData, ReadyFile } from './ready-file.ts'

/** The complete system as run by `npm start`, on a separate port and folder. */
export interface RunningSystem {
  /** Reads the file again on each call: process ids change when a service is restarted. */
  readReadyFile(): ReadyFile
  demo: DemoData
  /** Calls the API with the demo organization's token. */
  api(method: string, path: string, body?: unknown): Promise<ApiResponse>
  /** Queries the database of a service, for state that cannot be read or created from outside. */
  rows<Row extends QueryResultRow>(service: ServiceName, sql: string, values?: unknown[]): Promise<Row[]>
  /** Sends SIGKILL to every process of a service; the supervisor restarts it. */
  kill(service: ServiceName): void
  /** Waits until every process of every service is ready. */
  untilReady(): Promise<void>
}

/** A complete response of the API. */
export interface ApiResponse {
  status: number
  headers: Headers
  // oxlint-disable-next-line typescript/no-explicit-any -- the shape is what a test is about; it asserts it
  body: any
}

interface SystemOptions {
  env?: Record<string, string>
  replicas?: string
  /** Public port, for a test that must know it in advance; default: a free one. */
  port?: number
}

/** Environment variable with the folder of a stopped cluster that new systems copy; without it each creates and migrates its own. */
export const preparedCluster = 'E2E_CLUSTER'

const root = join(import.meta.dirname, '../../..')
const startTimeoutMs = 120_000
/** Beside other tests the gateway may wait more than a second for the CPU, which is not the overload that it rejects requests for. */
const patience = { MAX_EVENT_LOOP_DELAY_MS: '10000' }

/** A system that must be stopped by its starter. */
export interface StartedSystem extends RunningSystem, AsyncDisposable {
  readyFile: string
}

export async function startSystem({ env, replicas, port = 0 }: SystemOptions = {}): Promise<StartedSystem> {
  const folder = createDisposableFolder('e2e')
  const readyFile = join(folder, 'ready.json')
  const data = join(folder, 'data')
  const cluster = process.env[preparedCluster]
  // Keeps the owner of the files.
  if (cluster) execFileSync('cp', ['-a', cluster, data])
  const args = [
    'tools/src/quittance.ts',
    'start',
    '--port',
    String(port),
    '--data',
    data,
    '--seed',
    'demo',
    '--allow',
    'loopback-webhooks,sandbox-payments',
    '--ready-file',
    readyFile,
  ]
  const child = spawn(process.execPath, [...args, ...(replicas ? ['--replicas', replicas] : [])], {
    cwd: root,
    // Vitest sets its own BASE_URL. Node's compile cache is shared, as in `npm start`: it halves the start time of a service.
    env: { NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/compile'), ...patience, ...process.env, BASE_URL: undefined, ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  let output = ''
  child.stdout?.on('data', (chunk) => (output += chunk))
  child.stderr?.on('data', (chunk) => (output += chunk))
  await waitUntilStarted(child, { readyFile, output: () => output })
  const { demo } = readFacts(readyFile)
  if (!demo) throw new Error('The system was started without demo data')
  return {
    ...attachToSystem(readyFile, demo),
    readyFile,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      if (child.exitCode === null) await new Promise((resolve) => child.once('exit', resolve))
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Creates access to a running system, independent of who started it; `demo` has the token for calls. */
export function attachToSystem(readyFile: string, demo: DemoData): RunningSystem {
  const readReadyFile = () => readFacts(readyFile)
  const { base_url } = readReadyFile()
  const listProcesses = (service: ServiceName) => {
    const processes = readReadyFile().services[service]
    if (processes.length === 0) throw new Error('The processes of an external system are unknown')
    return processes
  }
  return {
    readReadyFile,
    demo,
    untilReady: () => eventually(async () => void (await Promise.all(Object.values(readReadyFile().services).flat().map(requireReady)))),
    api: (method, path, body) => callApi(`${base_url}${path}`, { method, token: demo.organization_access_token, body }),
    rows: (service, sql, values) => queryRows(new URL(`/${service}`, readReadyFile().postgres_url ?? ''), { sql, values: values ?? [] }),
    kill: (service) => listProcesses(service).forEach(({ pid }) => process.kill(pid, 'SIGKILL')),
  }
}

export function readFacts(readyFile: string): ReadyFile {
  return JSON.parse(readFileSync(readyFile, 'utf8'))
}

async function waitUntilStarted(child: ChildProcess, { readyFile, output }: { readyFile: string; output(): string }): Promise<void> {
  await eventually(
    () => {
      if (child.exitCode === null && !existsSync(readyFile)) throw new Error(`The system did not start:\n${output()}`)
    },
    { withinMs: startTimeoutMs },
  )
  if (child.exitCode !== null) throw new Error(`The system ended with code ${child.exitCode}:\n${output()}`)
}

/** Throws unless the process in the ready file is alive and ready. */
async function requireReady({ pid, health_url }: ReadyFile['services'][ServiceName][number]): Promise<void> {
  process.kill(pid, 0)
  const { status } = await fetch(health_url)
  if (status !== 200) throw new Error(`${health_url} answers ${status}`)
}

async function queryRows<Row extends QueryResultRow>(url: URL, { sql, values }: { sql: string; values: unknown[] }): Promise<Row[]> {
  const client = new Client({ connectionString: url.href })
  await client.connect()
  try {
    return (await client.query<Row>(sql, values)).rows
  } finally {
    await client.end()
  }
}

/** Sends one request; JSON is parsed, an empty body is null. */
export async function callApi(
  url: string,
  request: { method: string; token: string | null; body?: unknown; headers?: Record<string, string> },
): Promise<ApiResponse> {
  const response = await fetch(url, {
    method: request.method,
    headers: {
      ...request.headers,
      ...(request.token && { authorization: `Bearer ${request.token}` }),
      ...(request.body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(request.body !== undefined && { body: typeof request.body === 'string' ? request.body : JSON.stringify(request.body) }),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: text ? JSON.parse(text) : null }
}
