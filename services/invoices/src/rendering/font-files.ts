import { readFileSync } from 'node:fs'
import { readWoff2Codepoints } from './woff2-codepoints.ts'

export type FontWeight = 400 | 700

/** One file of a font package: a subset of a family in one weight. */
export interface FontName {
  family: string
  /** As in the list of the package, where some names are in brackets. */
  subset: string
  weight: FontWeight
}

interface FontFile {
  bytes: Buffer
  codePoints: ReadonlySet<number>
}

/** About two hundred files: Latin ones stay cached, rare Han ones are evicted. */
const cacheLimit = 8_000_000
const cache = new Map<string, FontFile>()
let cached = 0

/** Returns a file of a font package, read at first use. */
export function fontFile({ family, subset, weight }: FontName): FontFile {
  const name = `${family}-${unbracketed(subset)}-${weight}-normal.woff2`
  const known = cache.get(name)
  if (known) {
    cache.delete(name)
    cache.set(name, known)
    return known
  }
  const bytes = readFileSync(new URL(import.meta.resolve(`@fontsource/${family}/files/${name}`)))
  const file = { bytes, codePoints: readWoff2Codepoints(bytes) }
  addToCache(name, file)
  return file
}

/** Returns the URL path of a font. */
export function fontPath({ family, subset, weight }: FontName): string {
  return `/fonts/${family}/${unbracketed(subset)}/${weight}`
}

/** Parses the URL path of a font; null if it is not one. */
export function parseFontPath(path: string): FontName | null {
  const [, family, subset, weight] = /^\/fonts\/([a-z-]+)\/([a-z0-9-]+)\/(400|700)$/.exec(path) ?? []
  return family && subset ? { family, subset, weight: Number(weight) as FontWeight } : null
}

function unbracketed(subset: string): string {
  return subset.replaceAll(/[[\]]/g, '')
}

/** Evicts the least recently used files. */
function addToCache(name: string, file: FontFile): void {
  cache.set(name, file)
  cached += file.bytes.length
  for (const [oldest, { bytes }] of cache) {
    if (cached <= cacheLimit || oldest === name) return
    cache.delete(oldest)
    cached -= bytes.length
  }
}
