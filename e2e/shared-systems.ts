import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { freePorts } from '@quittance/testing/engines/free-ports'
import type { ReadyFile } from '@quittance/testing/ready-file'
import { preparedCluster, readFacts, startSystem, type StartedSystem } from '@quittance/testing/system'
import type { SharedSystem } from '@quittance/testing/use-shared-system'
import { createDisposableFolder } from '@quittance/testing/engines/disposable-folder'
import { accessTo } from '@quittance/tools/commands/target-options'
import { createDemoData } from '@quittance/tools/seed/demo-data'
import { installPackages } from './client-versions/install-packages.ts'
import { prepareCluster } from './prepared-cluster.ts'

/**
 * Vitest's global set-up of the e2e tests: one system per worker, started on the first request and shared by the files of the worker, or
 * the system at `E2E_BASE_URL`. Each request creates demo data for its file.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const externalSystem = writeExternalReadyFile()
  const cluster = createDisposableFolder('cluster')
  if (!externalSystem) {
    await prepareCluster(cluster)
    process.env[preparedCluster] = cluster
  }
  const systems = new Map<string, Promise<StartedSystem>>()
  const readyFilePath = async (worker: string): Promise<string> => {
    if (externalSystem) return externalSystem
    const system = systems.get(worker) ?? startSharedSystem()
    systems.set(worker, system)
    return (await system).readyFile
  }
  const server = createServer((request, response) => {
    // A worker asks once per file: while it is busy, a kept connection may end just before it is used again.
    response.setHeader('connection', 'close')
    const [, kind, name = ''] = (request.url ?? '').split('/')
    const answer = kind === 'packages' ? installPackages(name) : readyFilePath(name).then(describe).then(JSON.stringify)
    answer.then(
      (text) => response.end(text),
      (error: Error) => response.writeHead(500).end(String(error.stack)),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  project.provide('sharedSystems', `${origin}/systems`)
  project.provide('packages', `${origin}/packages`)
  return async () => {
    server.close()
    await Promise.allSettled([...systems.values()].map(async (system) => (await system)[Symbol.asyncDispose]()))
    rmSync(cluster, { recursive: true, force: true })
  }
}

async function describe(readyFile: string): Promise<SharedSystem> {
  const facts = readFacts(readyFile)
  return { readyFile, demo: await createDemoData({ operator: accessTo(facts), origin: facts.base_url }) }
}

/** API and pages have two origins, as in production; rate limiting is off because all requests come from one address. */
async function startSharedSystem(): Promise<StartedSystem> {
  const [port = 0] = await freePorts(1)
  const addresses = { BASE_URL: `http://127.0.0.1:${port}`, AUTH_URL: `http://localhost:${port}` }
  return startSystem({ port, env: { RATE_LIMIT_PER_SECOND: '0', ...addresses } })
}

/** Returns the ready file of an externally started system, from the settings of the run. It must not limit the rate of one address. */
function writeExternalReadyFile(): string | null {
  const { E2E_BASE_URL: base, E2E_AUTH_URL: auth, E2E_PAGES_URL: pages, E2E_NATS_URL: nats, E2E_POSTGRES_URL: postgres } = process.env
  const { BUS_KEY: operator_bus_key, BUS_PUBLIC_KEYS: bus_public_keys } = process.env
  if (!base) return null
  if (!nats || !operator_bus_key || !bus_public_keys) {
    throw new Error('E2E_BASE_URL needs E2E_NATS_URL, BUS_KEY and BUS_PUBLIC_KEYS of the operator: the tests create accounts.')
  }
  const services = { gateway: [], auth: [], orders: [], invoices: [], webhooks: [], mail: [], usage: [], provisioner: [], storefront: [] }
  const readyFile: ReadyFile = {
    base_url: base,
    auth_url: auth ?? base,
    pages_url: pages ?? base,
    postgres_url: postgres ?? null,
    nats_url: nats,
    stream_url: process.env['E2E_STREAM_URL'] ?? '',
    operator_bus_key,
    bus_public_keys,
    pid: 0,
    services,
  }
  const path = join(mkdtempSync(join(tmpdir(), 'quittance-e2e-')), 'ready.json')
  writeFileSync(path, JSON.stringify(readyFile))
  return path
}
