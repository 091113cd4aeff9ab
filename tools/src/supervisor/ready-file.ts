import { renameSync, writeFileSync } from 'node:fs'
import type { ReadyFile } from '@quittance/testing/ready-file'

/** Readers see the whole file or none. It holds credentials: only the owner may read it. */
export function writeReadyFile(path: string, content: ReadyFile): void {
  const unfinished = `${path}.${process.pid}.tmp`
  writeFileSync(unfinished, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 })
  renameSync(unfinished, path)
}
