import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs'

/** Returns the content of a JSON file; null if there is none. Throws an error that names a damaged file, but none of its content: it has secrets. */
export function readJsonFile<Content>(file: string): Content | null {
  if (!existsSync(file)) return null
  const text = readFileSync(file, 'utf8')
  try {
    return JSON.parse(text) as Content
  } catch {
    throw new Error(`${file} is damaged: it is not JSON.`)
  }
}

/** Writes a JSON file that only its owner may read. Synced before it replaces the file: after a power failure that would otherwise be empty. */
export function writeJsonFile(file: string, content: unknown): void {
  const unfinished = `${file}.${process.pid}.tmp`
  const descriptor = openSync(unfinished, 'w', 0o600)
  writeFileSync(descriptor, `${JSON.stringify(content, null, 2)}\n`)
  fsyncSync(descriptor)
  closeSync(descriptor)
  renameSync(unfinished, file)
}
