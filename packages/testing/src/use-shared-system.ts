import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { inject } from 'vitest'
import type { DemoData, ReadyFile } from './ready-file.ts'
import { readFacts, attachToSystem, type RunningSystem } from './system.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** URL that returns at `/‹worker›` the path of the ready file of that worker's system. */
    sharedSystems: string
  }
}

const root = join(import.meta.dirname, '../../..')

/** Whether the tests run against an external system (`E2E_BASE_URL`), whose processes they cannot control. */
export const isExternalSystem = Boolean(process.env['E2E_BASE_URL'])

/** Returns the system of this worker, which other files use too, with demo data only for this caller. Nothing is stopped at the end. */
export async function useSharedSystem(): Promise<RunningSystem> {
  const response = await fetch(`${inject('sharedSystems')}/${process.env['VITEST_POOL_ID']}`)
  const text = await response.text()
  if (!response.ok) throw new Error(text)
  return attachToSystem(text, await createDemoData(readFacts(text)))
}

async function createDemoData({ nats_url, base_url, operator_bus_key, bus_public_keys }: ReadyFile): Promise<DemoData> {
  const args = ['tools/src/quittance.ts', 'seed', '--nats', nats_url, '--origin', base_url]
  const env = { ...process.env, BUS_KEY: operator_bus_key, BUS_PUBLIC_KEYS: bus_public_keys }
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root, env })
  return JSON.parse(stdout)
}
