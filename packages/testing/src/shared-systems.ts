import { mkdtempSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { freePorts } from './engines/free-ports.ts'
import type { ReadyFile } from './ready-file.ts'
import { startSystem, type StartedSystem } from './system.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Answers `/‹worker›` with the path of the ready file of that worker's system. */
    sharedSystems: string
  }
}

/**
 * Vitest's global set-up of the e2e tests: one system for each worker, started when its first file asks and kept for the others,
 * or the system at `E2E_BASE_URL`.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const elsewhere = systemElsewhere()
  const systems = new Map<string, Promise<StartedSystem>>()
  const readyFileOf = async (worker: string): Promise<string> => {
    if (elsewhere) return elsewhere
    const system = systems.get(worker) ?? startForAll()
    systems.set(worker, system)
    return (await system).readyFile
  }
  const server = createServer((request, response) => {
    readyFileOf(request.url ?? '').then(
      (path) => response.end(path),
      (error: Error) => response.writeHead(500).end(String(error.stack)),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  project.provide('sharedSystems', `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  return async () => {
    server.close()
    await Promise.allSettled([...systems.values()].map(async (system) => (await system)[Symbol.asyncDispose]()))
  }
}

/** API and pages at two origins, as in production; one address sends more requests than a client may. */
async function startForAll(): Promise<StartedSystem> {
  const [port = 0] = await freePorts(1)
  const addresses = { BASE_URL: `http://127.0.0.1:${port}`, AUTH_URL: `http://localhost:${port}` }
  return startSystem({ port, env: { RATE_LIMIT_PER_SECOND: '0', ...addresses } })
}

/** A system that somebody else runs, by the settings of the run. It must not limit the rate of one address. */
function systemElsewhere(): string | null {
  const { E2E_BASE_URL: base, E2E_AUTH_URL: auth, E2E_NATS_URL: nats, E2E_POSTGRES_URL: postgres } = process.env
  if (!base) return null
  if (!nats) throw new Error('E2E_BASE_URL needs E2E_NATS_URL, with the credentials of the operator: the tests make accounts.')
  const services = { gateway: [], auth: [], orders: [], invoices: [], webhooks: [] }
  const facts: ReadyFile = { base_url: base, auth_url: auth ?? base, postgres_url: postgres ?? null, nats_url: nats, pid: 0, services }
  const path = join(mkdtempSync(join(tmpdir(), 'quittance-e2e-')), 'ready.json')
  writeFileSync(path, JSON.stringify(facts))
  return path
}
