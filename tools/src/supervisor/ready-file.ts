import { renameSync, writeFileSync } from 'node:fs'
import type { ServiceName } from '@quittance/contracts/services'
import type { DemoData } from '../seed/demo-data.ts'

export interface ServiceProcess {
  pid: number
  /** Answers 200 when the process takes work. */
  health_url: string
  /** Public address; gateways only. */
  url?: string
}

/** What a harness needs to know of a running instance. Rewritten when a process was replaced. */
export interface ReadyFile {
  base_url: string
  auth_url: string
  /** Superuser of the embedded PostgreSQL; null when every service has a database elsewhere. */
  postgres_url: string | null
  /** With the credentials of the operator. */
  nats_url: string
  pid: number
  services: Record<ServiceName, ServiceProcess[]>
  demo?: DemoData
}

/** Readers see the whole file or none. It holds credentials: only the owner may read it. */
export function writeReadyFile(path: string, content: ReadyFile): void {
  const unfinished = `${path}.${process.pid}.tmp`
  writeFileSync(unfinished, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 })
  renameSync(unfinished, path)
}
