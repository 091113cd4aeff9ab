import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { natsUsers } from '@quittance/contracts/nats-users'
import { testBusEnvironment } from '@quittance/testing/bus'
import { ensureDatabases, runtimeRole } from '@quittance/testing/engines/service-database'
import { databaseOwners } from '@quittance/tools/secrets/secret-list'
import type { DemoData, ReadyFile } from '@quittance/testing/ready-file'
import type { Engines } from '../engines.ts'

/** Quittance as `npm start` runs it, on the engines of the run, with every setting as shipped. */
export interface Quittance extends AsyncDisposable {
  origin: string
  token: string
  organizationId: string
  demo: DemoData
  /** Internal address of the auth service. */
  authOrigin: string
  ordersDatabaseUrl: string
  invoicesDatabaseUrl: string
  pids(service: keyof ReadyFile['services']): number[]
  /** The process that starts the others and writes their log lines to files. */
  launcherPid: number
  /** Output of the launcher, including crashes, restarts and warnings of services. */
  output(): string
}

const root = join(import.meta.dirname, '../../..')
const startWithinMs = 120_000
const password = 'bench'

/** `environment` has settings beside those as shipped. The databases may be those of an earlier start. */
export async function startQuittance(engines: Engines, environment: Record<string, string> = {}): Promise<Quittance> {
  await ensureDatabases(
    engines.postgres.url('postgres'),
    databaseOwners.map((name) => ({ name, password, runtimePassword: password })),
  )
  const readyFile = join(engines.folder, 'ready.json')
  rmSync(readyFile, { force: true })
  const args = [
    'tools/src/quittance.ts',
    'start',
    '--port',
    '0',
    '--allow',
    'loopback-webhooks,sandbox-payments',
    '--data',
    join(engines.folder, 'data'),
    '--ready-file',
    readyFile,
  ]
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { ...process.env, BASE_URL: undefined, ...servers(engines), ...environment },
    // The channel ends it when this process is gone.
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  const output = collectOutput(child)
  try {
    await waitUntilReady(child, { readyFile, output })
  } catch (error) {
    await stop(child)
    throw error
  }
  const { base_url: origin, services, demo } = JSON.parse(readFileSync(readyFile, 'utf8')) as ReadyFile
  if (!demo) throw new Error('The system has no demo data.')
  return {
    origin,
    token: demo.organization_access_token,
    organizationId: demo.organization.id,
    demo,
    authOrigin: new URL(services.auth[0]?.health_url ?? '').origin,
    ordersDatabaseUrl: engines.postgres.url('orders'),
    invoicesDatabaseUrl: engines.postgres.url('invoices'),
    pids: (service) => services[service].map(({ pid }) => pid),
    launcherPid: child.pid as number,
    output,
    [Symbol.asyncDispose]: () => stop(child),
  }
}

function servers({ postgres, nats }: Engines): NodeJS.ProcessEnv {
  const databases = databaseOwners.flatMap((name) => [
    [`DATABASE_URL_${name.toUpperCase()}`, postgres.url(name, { user: runtimeRole(name), password })],
    [`MIGRATION_DATABASE_URL_${name.toUpperCase()}`, postgres.url(name, { user: name, password })],
  ])
  const passwords = natsUsers.map((user) => [`NATS_PASSWORD_${user.toUpperCase()}`, new URL(nats.url(user)).password])
  return { ...Object.fromEntries([...databases, ...passwords]), ...testBusEnvironment(), NATS_URL: `nats://127.0.0.1:${nats.port}` }
}

function collectOutput(child: ChildProcess): () => string {
  let output = ''
  child.stdout?.on('data', (chunk) => (output += chunk))
  child.stderr?.on('data', (chunk) => (output += chunk))
  return () => output
}

async function waitUntilReady(child: ChildProcess, { readyFile, output }: { readyFile: string; output(): string }): Promise<void> {
  for (const start = Date.now(); !existsSync(readyFile); await delay(50)) {
    if (child.exitCode !== null) throw new Error(`Quittance ended with code ${child.exitCode}:\n${output()}`)
    if (Date.now() - start > startWithinMs) throw new Error(`Quittance was not ready within ${startWithinMs / 1000} s:\n${output()}`)
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, 'exit')
  child.kill('SIGTERM')
  await exit
}
