import { inject } from 'vitest'
import type { DemoData } from './ready-file.ts'
import { attachToSystem, type RunningSystem } from './system.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** URL that returns at `/‹worker›` that worker's system as a `SharedSystem`, with new demo data. */
    sharedSystems: string
  }
}

/** A system that several files use, and demo data for one of them. */
export interface SharedSystem {
  readyFile: string
  demo: DemoData
}

/** Whether the tests run against an external system (`E2E_BASE_URL`), whose processes they cannot control. */
export const isExternalSystem = Boolean(process.env['E2E_BASE_URL'])

/** Returns the system of this worker, which other files use too, with demo data only for this caller. Nothing is stopped at the end. */
export async function useSharedSystem(): Promise<RunningSystem> {
  const response = await fetch(`${inject('sharedSystems')}/${process.env['VITEST_POOL_ID']}`)
  const text = await response.text()
  if (!response.ok) throw new Error(text)
  const { readyFile, demo }: SharedSystem = JSON.parse(text)
  return attachToSystem(readyFile, demo)
}
