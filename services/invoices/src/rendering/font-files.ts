import { readFileSync } from 'node:fs'
import { woff2Letters } from './woff2-letters.ts'

export type FontWeight = 400 | 700

interface FontFile {
  base64: string
  letters: ReadonlySet<number>
}

/** About a hundred and fifty files: those of Latin stay, the long tail of Han comes and goes. */
const cacheLimit = 8_000_000
const cache = new Map<string, FontFile>()
let cached = 0

/** A file of a font package, read when it is first wanted. */
export function fontFile(family: string, subset: string, weight: FontWeight): FontFile {
  const name = `${family}-${subset.replaceAll(/[[\]]/g, '')}-${weight}-normal.woff2`
  const known = cache.get(name)
  if (known) {
    cache.delete(name)
    cache.set(name, known)
    return known
  }
  const bytes = readFileSync(new URL(import.meta.resolve(`@fontsource/${family}/files/${name}`)))
  const file = { base64: bytes.toString('base64'), letters: woff2Letters(bytes) }
  keep(name, file)
  return file
}

/** What was not wanted for longest goes first. */
function keep(name: string, file: FontFile): void {
  cache.set(name, file)
  cached += file.base64.length
  for (const [oldest, { base64 }] of cache) {
    if (cached <= cacheLimit || oldest === name) return
    cache.delete(oldest)
    cached -= base64.length
  }
}
