import { posix } from 'node:path'

/** A source file: its path in the repository, its lines and the paths of the files it imports. */
export interface SourceFile {
  path: string
  lines: number
  imports: readonly string[]
}

/** Sizes of a set of files, in lines. */
export interface Sizes {
  files: number
  median: number
  /** Nine of ten files have at most this many lines. */
  p90: number
  largest: number
  /** Files of at most 15 lines. */
  tiny: number
  /** Files of at most 45 lines that exactly one other file imports. */
  singleImporter: number
}

/** Measures files without their tests and migrations. */
export function measureSizes(files: readonly SourceFile[]): Sizes {
  const importers = new Map<string, number>()
  for (const { imports } of files) for (const each of new Set(imports)) importers.set(each, (importers.get(each) ?? 0) + 1)
  const lines = files.map((file) => file.lines).toSorted((a, b) => a - b)
  return {
    files: files.length,
    median: lines[Math.floor(lines.length / 2)] ?? 0,
    p90: lines[Math.floor(lines.length * 0.9)] ?? 0,
    largest: lines.at(-1) ?? 0,
    tiny: lines.filter((count) => count <= 15).length,
    singleImporter: files.filter((file) => file.lines <= 45 && importers.get(file.path) === 1).length,
  }
}

/** Resolves a relative import specifier of a file to a path in the repository; null for packages. */
export function resolveImport(from: string, specifier: string): string | null {
  return specifier.startsWith('.') ? posix.normalize(posix.join(posix.dirname(from), specifier)) : null
}
