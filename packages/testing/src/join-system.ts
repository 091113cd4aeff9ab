import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { inject } from 'vitest'
import type { DemoData, ReadyFile } from './ready-file.ts'
import { readFacts, systemAt, type RunningSystem } from './system.ts'

const root = join(import.meta.dirname, '../../..')

/** The tests run against a system that somebody else has started (`E2E_BASE_URL`): its processes are out of reach. */
export const isElsewhere = Boolean(process.env['E2E_BASE_URL'])

/** The system of this worker, which other files use too, with demo data of this caller alone. Nothing is stopped at the end. */
export async function joinSystem(): Promise<RunningSystem> {
  const response = await fetch(`${inject('sharedSystems')}/${process.env['VITEST_POOL_ID']}`)
  const text = await response.text()
  if (!response.ok) throw new Error(text)
  return systemAt(text, await makeDemoData(readFacts(text)))
}

async function makeDemoData({ nats_url, base_url }: ReadyFile): Promise<DemoData> {
  const args = ['tools/src/quittance.ts', 'seed', '--nats', nats_url, '--origin', base_url]
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root })
  return JSON.parse(stdout)
}
