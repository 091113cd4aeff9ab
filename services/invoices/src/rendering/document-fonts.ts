import { fontFamilies } from './font-families.ts'
import { fontFile, fontPath, type FontWeight } from './font-files.ts'
import { subsetsFor } from './font-subsets.ts'

const weights: readonly FontWeight[] = [400, 700]

/** All ASCII is in this one, so it is always there and no text is searched for it. */
const base = { family: 'inter', subset: 'latin' }
const ascii = 'U+0-7F'

interface Source {
  family: string
  subset: string
}

/** A letter with the marks on it, or one that is not ASCII. What is set together must come from one font. */
const clusters = /\P{M}[\p{M}\p{Join_C}]+|[^\0-\x7f]/gu

/** What has no shape of its own: whatever sets the letters beside it obeys it. The narrow space is made from the wide one. */
const shapeless = /[\p{Default_Ignorable_Code_Point}\u202f]/u

/**
 * `@font-face` rules of the one family `Document`; the fonts are asked for under `fontPath`, so that a page which prints many documents
 * unpacks each once. For each letter of the text the first font that has it; of each font only the subsets with such letters, told to the
 * browser letter by letter, so that no font answers for another's. A letter that no font has is left to the system's.
 */
export function documentFonts(text: string, locale: string): string {
  const letters = new Map<string, { source: Source; points: Set<number> }>()
  for (const cluster of new Set(text.match(clusters))) {
    for (const [source, points] of sourcesOf(cluster, locale)) {
      const key = `${source.family} ${source.subset}`
      const entry = letters.get(key) ?? { source, points: new Set() }
      for (const point of points) entry.points.add(point)
      letters.set(key, entry)
    }
  }
  const baseKey = `${base.family} ${base.subset}`
  const beyondAscii = letters.get(baseKey)?.points ?? []
  letters.delete(baseKey)
  return [
    ...fontFaces(base, [ascii, ...unicodeRange(beyondAscii)]),
    ...[...letters.values()].flatMap(({ source, points }) => fontFaces(source, unicodeRange(points))),
  ].join('\n')
}

/** One font for the whole cluster or, where none has all of it, one for each part. */
function sourcesOf(cluster: string, locale: string): (readonly [Source, readonly number[]])[] {
  const points = codePoints(cluster)
  const whole = sourceOf(cluster, points, locale)
  if (whole) return [[whole, [...points, ...otherForms(cluster, whole)]]]
  return points.flatMap((point) => {
    const source = sourceOf(String.fromCodePoint(point), [point], locale)
    return source ? [[source, [point]] as const] : []
  })
}

/** A browser takes letters apart and puts them together to set them: Thai am is a ring and an aa. The font has to answer for these too. */
function otherForms(cluster: string, { family, subset }: Source): number[] {
  const { letters } = fontFile({ family, subset, weight: 400 })
  const forms = codePoints(cluster.normalize('NFKD') + cluster.normalize('NFC'))
  return forms.filter((point) => point > 0x7f && letters.has(point))
}

function sourceOf(letter: string, points: readonly number[], locale: string): Source | null {
  const seen = points.filter((point) => !shapeless.test(String.fromCodePoint(point)))
  if (seen.length === 0) return base
  for (const family of fontFamilies(letter, locale)) {
    for (const subset of subsetsFor(family, seen[0] as number)) {
      const { letters } = fontFile({ family, subset, weight: 400 })
      if (seen.every((point) => letters.has(point))) return { family, subset }
    }
  }
  return null
}

function codePoints(text: string): number[] {
  return Array.from(text, (letter) => letter.codePointAt(0) as number)
}

function unicodeRange(points: Iterable<number>): string[] {
  return [...points].map((point) => `U+${point.toString(16)}`)
}

function fontFaces({ family, subset }: Source, range: readonly string[]): string[] {
  return weights.map((weight) => {
    const source = `url(${fontPath({ family, subset, weight })}) format('woff2')`
    return `@font-face { font-family: Document; font-weight: ${weight}; src: ${source}; unicode-range: ${range.join()} }`
  })
}
