import { readFileSync } from 'node:fs'
import { woff2Letters } from './woff2-letters.ts'

export type FontWeight = 400 | 700

/** One file of a font package: a part of the letters of a family, in one weight. */
export interface FontName {
  family: string
  /** By the package's list; some stand in brackets there. */
  subset: string
  weight: FontWeight
}

interface FontFile {
  bytes: Buffer
  letters: ReadonlySet<number>
}

/** About two hundred files: those of Latin stay, the long tail of Han comes and goes. */
const cacheLimit = 8_000_000
const cache = new Map<string, FontFile>()
let cached = 0

/** A file of a font package, read when it is first wanted. */
export function fontFile({ family, subset, weight }: FontName): FontFile {
  const name = `${family}-${unbracketed(subset)}-${weight}-normal.woff2`
  const known = cache.get(name)
  if (known) {
    cache.delete(name)
    cache.set(name, known)
    return known
  }
  const bytes = readFileSync(new URL(import.meta.resolve(`@fontsource/${family}/files/${name}`)))
  const file = { bytes, letters: woff2Letters(bytes) }
  keep(name, file)
  return file
}

/** Under which a document asks for it. */
export function fontPath({ family, subset, weight }: FontName): string {
  return `/fonts/${family}/${unbracketed(subset)}/${weight}`
}

/** What a path asks for; null if it is no path of a font. */
export function fontNamed(path: string): FontName | null {
  const [, family, subset, weight] = /^\/fonts\/([a-z-]+)\/([a-z0-9-]+)\/(400|700)$/.exec(path) ?? []
  return family && subset ? { family, subset, weight: Number(weight) as FontWeight } : null
}

function unbracketed(subset: string): string {
  return subset.replaceAll(/[[\]]/g, '')
}

/** What was not wanted for longest goes first. */
function keep(name: string, file: FontFile): void {
  cache.set(name, file)
  cached += file.bytes.length
  for (const [oldest, { bytes }] of cache) {
    if (cached <= cacheLimit || oldest === name) return
    cache.delete(oldest)
    cached -= bytes.length
  }
}
