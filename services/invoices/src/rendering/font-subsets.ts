import { readFileSync } from 'node:fs'

interface Range {
  start: number
  end: number
  subset: string
}

const rangesByFamily = new Map<string, readonly Range[]>()

/** The subsets of a font package that are cut to hold a code point, by the package's own list. */
export function subsetsFor(family: string, codePoint: number): string[] {
  return rangesOf(family).flatMap(({ start, end, subset }) => (start <= codePoint && codePoint <= end ? [subset] : []))
}

/** The list is read once for each package that is ever needed; it is small. */
function rangesOf(family: string): readonly Range[] {
  const known = rangesByFamily.get(family)
  if (known) return known
  const list = readFileSync(new URL(import.meta.resolve(`@fontsource/${family}/unicode.json`)), 'utf8')
  const ranges = Object.entries(JSON.parse(list) as Record<string, string>).flatMap(([subset, text]) => rangesIn(text, subset))
  rangesByFamily.set(family, ranges)
  return ranges
}

function rangesIn(text: string, subset: string): Range[] {
  return text.split(',').map((range) => {
    const [start = '', end = start] = range.replace('U+', '').split('-')
    return { start: Number.parseInt(start, 16), end: Number.parseInt(end, 16), subset }
  })
}
