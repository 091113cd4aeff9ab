import { renameSync, writeFileSync } from 'node:fs'
import type { ReadyFile } from '@quittance/testing/ready-file'

/** Writes the ready file atomically: readers see the whole file or none. It contains credentials, so only the owner may read it. */
export function writeReadyFile(path: string, content: ReadyFile): void {
  const unfinished = `${path}.${process.pid}.tmp`
  writeFileSync(unfinished, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 })
  renameSync(unfinished, path)
}
