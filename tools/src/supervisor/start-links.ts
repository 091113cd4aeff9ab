import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Links of the start page to what `npm start` has created; null where there is none. */
export interface StartLinks {
  buy: string | null
  portal: string | null
  mailbox: string | null
}

/** Returns the path of the file in the data folder that the start page reads. */
export function startLinksFile(dataDir: string): string {
  return join(dataDir, 'start-links.json')
}

export function writeStartLinks(dataDir: string, links: StartLinks): void {
  const file = startLinksFile(dataDir)
  writeFileSync(`${file}.tmp`, JSON.stringify(links, null, 2), { mode: 0o600 })
  renameSync(`${file}.tmp`, file)
}
