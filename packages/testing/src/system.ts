import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ServiceName } from '@quittance/contracts/services'
import { Client, type QueryResultRow } from 'pg'
import { eventually } from './eventually.ts'
import type { DemoData, ReadyFile } from './ready-file.ts'

/** The whole system as `npm start` runs it, on a port and a folder of its own. */
export interface RunningSystem {
  /** Read anew: process ids change when a service is restarted. */
  facts(): ReadyFile
  demo: DemoData
  /** Calls the API with the demo organization's token. */
  api(method: string, path: string, body?: unknown): Promise<ApiAnswer>
  /** A look into the database of a service, for what cannot be seen or brought about from outside. */
  rows<Row extends QueryResultRow>(service: ServiceName, sql: string, values?: unknown[]): Promise<Row[]>
  /** kill -9 of every process of a service; the supervisor brings it back. */
  kill(service: ServiceName): void
  /** Waits until every process of every service answers that it takes work. */
  untilReady(): Promise<void>
}

/** An answer of the API, read to its end. */
export interface ApiAnswer {
  status: number
  headers: Headers
  // oxlint-disable-next-line typescript/no-explicit-any -- the shape is what a test is about; it asserts it
  body: any
}

interface SystemOptions {
  env?: Record<string, string>
  replicas?: string
  /** Public port, for a test that must know it beforehand; a free one unless told. */
  port?: number
}

const root = join(import.meta.dirname, '../../..')
const startWithinMs = 120_000

/** A system that its starter stops. */
export interface StartedSystem extends RunningSystem, AsyncDisposable {
  readyFile: string
}

export async function startSystem({ env, replicas, port = 0 }: SystemOptions = {}): Promise<StartedSystem> {
  const folder = mkdtempSync(join(tmpdir(), 'quittance-e2e-'))
  const readyFile = join(folder, 'ready.json')
  const args = [
    'tools/src/quittance.ts',
    'start',
    '--port',
    String(port),
    '--data',
    join(folder, 'data'),
    '--seed',
    'demo',
    '--ready-file',
    readyFile,
  ]
  const child = spawn(process.execPath, [...args, ...(replicas ? ['--replicas', replicas] : [])], {
    cwd: root,
    // Vitest sets BASE_URL to its own. What Node has compiled once is kept, as `npm start` does: half of what a service's start costs.
    env: { NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/compile'), ...process.env, BASE_URL: undefined, ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  let output = ''
  child.stdout?.on('data', (chunk) => (output += chunk))
  child.stderr?.on('data', (chunk) => (output += chunk))
  await untilStarted(child, { readyFile, output: () => output })
  const { demo } = readFacts(readyFile)
  if (!demo) throw new Error('The system was started without demo data')
  return {
    ...systemAt(readyFile, demo),
    readyFile,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      if (child.exitCode === null) await new Promise((resolve) => child.once('exit', resolve))
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** What can be done with a system that runs, whoever started it; `demo` is whose token calls. */
export function systemAt(readyFile: string, demo: DemoData): RunningSystem {
  const facts = () => readFacts(readyFile)
  const { base_url } = facts()
  const processesOf = (service: ServiceName) => {
    const processes = facts().services[service]
    if (processes.length === 0) throw new Error('The processes of a system that runs elsewhere are not known')
    return processes
  }
  return {
    facts,
    demo,
    untilReady: () => eventually(async () => void (await Promise.all(Object.values(facts().services).flat().map(demandReady)))),
    api: (method, path, body) => callApi(`${base_url}${path}`, { method, token: demo.organization_access_token, body }),
    rows: (service, sql, values) => look(new URL(`/${service}`, facts().postgres_url ?? ''), { sql, values: values ?? [] }),
    kill: (service) => processesOf(service).forEach(({ pid }) => process.kill(pid, 'SIGKILL')),
  }
}

export function readFacts(readyFile: string): ReadyFile {
  return JSON.parse(readFileSync(readyFile, 'utf8'))
}

async function untilStarted(child: ChildProcess, { readyFile, output }: { readyFile: string; output(): string }): Promise<void> {
  await eventually(
    () => {
      if (child.exitCode === null && !existsSync(readyFile)) throw new Error(`The system did not start:\n${output()}`)
    },
    { withinMs: startWithinMs },
  )
  if (child.exitCode !== null) throw new Error(`The system ended with code ${child.exitCode}:\n${output()}`)
}

/** The process that the ready file names is the one that lives, and it takes work. */
async function demandReady({ pid, health_url }: ReadyFile['services'][ServiceName][number]): Promise<void> {
  process.kill(pid, 0)
  const { status } = await fetch(health_url)
  if (status !== 200) throw new Error(`${health_url} answers ${status}`)
}

async function look<Row extends QueryResultRow>(url: URL, { sql, values }: { sql: string; values: unknown[] }): Promise<Row[]> {
  const client = new Client({ connectionString: url.href })
  await client.connect()
  try {
    return (await client.query<Row>(sql, values)).rows
  } finally {
    await client.end()
  }
}

/** One request; JSON is parsed, an empty body is null. */
export async function callApi(
  url: string,
  request: { method: string; token: string | null; body?: unknown; headers?: Record<string, string> },
): Promise<ApiAnswer> {
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
