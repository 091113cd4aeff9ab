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
  /** Files of at most `maxTinyLines`. */
  tiny: number
  /** Files of at most `maxSingleImporterLines` that exactly one other file imports. */
  singleImporter: number
}

const maxTinyLines = 15
const maxSingleImporterLines = 45

/** Limits of the sizes: lines, and percentages of the files. */
export interface SizeLimits {
  p90: number
  largest: number
  tinyPercent: number
  singleImporterPercent: number
}

/** Measures files without their tests and migrations. */
export function measureSizes(files: readonly SourceFile[]): Sizes {
  const lines = files.map((file) => file.lines).toSorted((a, b) => a - b)
  return {
    files: files.length,
    median: lines[Math.floor(lines.length / 2)] ?? 0,
    p90: lines[Math.floor(lines.length * 0.9)] ?? 0,
    largest: lines.at(-1) ?? 0,
    tiny: findTiny(files).length,
    singleImporter: findSingleImporter(files).length,
  }
}

/** Compares the sizes with their limits. Each problem states what to do, and names the files that are new in this checkout. */
export function checkSizes(files: readonly SourceFile[], { limits, added }: { limits: SizeLimits; added: ReadonlySet<string> }): string[] {
  const { p90 } = measureSizes(files)
  const listAdded = (chosen: readonly SourceFile[]) => {
    const paths = chosen.map(({ path }) => path).filter((path) => added.has(path))
    return paths.length > 0 ? ` New: ${paths.join(', ')}.` : ''
  }
  const tooMany = (chosen: readonly SourceFile[], { percent, what }: { percent: number; what: string }) =>
    chosen.length * 100 > percent * files.length
      ? [
          `${chosen.length} of ${files.length} files ${what}; at most ${percent} % may. ` +
            `Put the content of a small file where it is used (CONTRIBUTING.md, code layout).${listAdded(chosen)}`,
        ]
      : []
  const tooLong = files
    .filter(({ lines }) => lines > limits.largest)
    .map(({ path, lines }) => `${path} has ${lines} lines; at most ${limits.largest} are allowed.`)
  return [
    ...tooLong,
    ...(p90 > limits.p90 ? [`One of ten files has more than ${p90} lines; at most ${limits.p90} are allowed. Divide a large file.`] : []),
    ...tooMany(findTiny(files), { percent: limits.tinyPercent, what: `have at most ${maxTinyLines} lines` }),
    ...tooMany(findSingleImporter(files), {
      percent: limits.singleImporterPercent,
      what: `have at most ${maxSingleImporterLines} lines and one importer`,
    }),
  ]
}

const findTiny = (files: readonly SourceFile[]) => files.filter(({ lines }) => lines <= maxTinyLines)

function findSingleImporter(files: readonly SourceFile[]): SourceFile[] {
  const importers = new Map<string, number>()
  for (const { imports } of files) for (const each of new Set(imports)) importers.set(each, (importers.get(each) ?? 0) + 1)
  return files.filter(({ path, lines }) => lines <= maxSingleImporterLines && importers.get(path) === 1)
}

/** Resolves a relative import specifier of a file to a path in the repository; null for packages. */
export function resolveImport(from: string, specifier: string): string | null {
  return specifier.startsWith('.') ? posix.normalize(posix.join(posix.dirname(from), specifier)) : null
}
