import { fontFile, fontPath, type FontWeight } from './font-files.ts'
import { readFileSync } from 'node:fs'

const weights: readonly FontWeight[] = [400, 700]

/** Contains all ASCII characters, so it is always included and ASCII needs no search. */
const base = { family: 'inter', subset: 'latin' }
const ascii = 'U+0-7F'

interface Source {
  family: string
  subset: string
}

/** A character with its combining marks, or one that is not ASCII. A cluster must be set in one font. */
const clusters = /\P{M}[\p{M}\p{Join_C}]+|[^\0-\x7f]/gu

/** Searching for clusters in ASCII, most of a document, would cost most of its time. */
const beyondAscii = /[\0-\x7f]?[^\0-\x7f]+/g

function findClusters(text: string): Set<string> {
  return new Set((text.match(beyondAscii) ?? []).flatMap((part) => part.match(clusters) ?? []))
}

/** Characters without a glyph: the font of the adjacent characters applies. The narrow space is derived from the normal one. */
const withoutGlyph = /[\p{Default_Ignorable_Code_Point}\u202f]/u

/**
 * Returns the `@font-face` rules of the single family `Document`. Fonts have URLs under `fontPath`, so a page that prints many documents
 * decompresses each once. Every character uses the first font that contains it. Only the subsets with such characters are included, and
 * each is restricted to its characters, so no font is used for characters of another. Characters that no font contains use the fonts of the
 * system.
 */
export function documentFonts(text: string, locale: string): string {
  const charactersBySource = new Map<string, { source: Source; points: Set<number> }>()
  for (const cluster of findClusters(text)) {
    for (const [source, points] of findSources(cluster, locale)) {
      const key = `${source.family} ${source.subset}`
      const entry = charactersBySource.get(key) ?? { source, points: new Set() }
      for (const point of points) entry.points.add(point)
      charactersBySource.set(key, entry)
    }
  }
  const baseKey = `${base.family} ${base.subset}`
  const latin = charactersBySource.get(baseKey)?.points ?? []
  charactersBySource.delete(baseKey)
  return [
    ...fontFaces(base, [ascii, ...unicodeRange(latin)]),
    ...[...charactersBySource.values()].flatMap(({ source, points }) => fontFaces(source, unicodeRange(points))),
  ].join('\n')
}

/** Returns the characters of a text that no font contains. */
export function findMissingCharacters(text: string, locale: string): string[] {
  return [...findClusters(text)].filter((cluster) => {
    const found = findSources(cluster, locale)
    return toCodePoints(cluster).some((point) => !found.some(([, points]) => points.includes(point)))
  })
}

/** Returns one font for the whole cluster or, if none contains all of it, one font per part. */
function findSources(cluster: string, locale: string): (readonly [Source, readonly number[]])[] {
  const points = toCodePoints(cluster)
  const whole = findSource(cluster, points, locale)
  if (whole) return [[whole, [...points, ...findOtherForms(cluster, whole)]]]
  return points.flatMap((point) => {
    const source = findSource(String.fromCodePoint(point), [point], locale)
    return source ? [[source, [point]] as const] : []
  })
}

/**
 * Returns the decomposed and composed forms of a cluster that the font contains. Browsers decompose and compose characters for layout: Thai
 * sara am becomes nikhahit and sara aa. The font must be declared for these forms, too.
 */
function findOtherForms(cluster: string, { family, subset }: Source): number[] {
  const { codePoints } = fontFile({ family, subset, weight: 400 })
  const forms = toCodePoints(cluster.normalize('NFKD') + cluster.normalize('NFC'))
  return forms.filter((point) => point > 0x7f && codePoints.has(point))
}

function findSource(letter: string, points: readonly number[], locale: string): Source | null {
  const seen = points.filter((point) => !withoutGlyph.test(String.fromCodePoint(point)))
  if (seen.length === 0) return base
  for (const family of fontFamilies(letter, locale)) {
    for (const subset of subsetsFor(family, seen[0] as number)) {
      const { codePoints } = fontFile({ family, subset, weight: 400 })
      if (seen.every((point) => codePoints.has(point))) return { family, subset }
    }
  }
  return null
}

function toCodePoints(text: string): number[] {
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

/** Font packages in the order in which they are searched. Each has the same two weights. */
const general = [
  'inter',
  'noto-sans',
  'noto-sans-arabic',
  'noto-sans-hebrew',
  'noto-sans-devanagari',
  'noto-sans-thai',
  'noto-sans-bengali',
  'noto-sans-tamil',
  'noto-sans-khmer',
  'noto-sans-ethiopic',
  'noto-sans-georgian',
  'noto-sans-armenian',
]
/** In one colour, as print is. Searched last: it also contains digits and signs. */
const emoji = 'noto-emoji'
const [japanese, korean, simplified, traditional] = ['noto-sans-jp', 'noto-sans-kr', 'noto-sans-sc', 'noto-sans-tc'] as const

/**
 * Returns the fonts for a character in a document of this locale, in order of preference. Unicode has one code point for a Han character
 * that is drawn differently in Tokyo, Seoul, Taipei and Beijing, so the locale decides. Kana and hangul determine their language
 * themselves.
 */
export function fontFamilies(letter: string, locale: string): readonly string[] {
  if (/\p{Script=Hangul}/u.test(letter)) return [korean]
  if (/^\p{Emoji_Presentation}|^\p{Extended_Pictographic}\ufe0f/u.test(letter)) return [emoji, ...general]
  const han = hanFamilies(locale)
  if (/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(letter)) return [japanese, ...han]
  return [...general, ...han, emoji]
}

function hanFamilies(locale: string): readonly string[] {
  const { language, script } = new Intl.Locale(locale).maximize()
  if (language === 'ja') return [japanese, traditional, simplified, korean]
  if (language === 'ko') return [korean, japanese, traditional, simplified]
  if (script === 'Hant') return [traditional, simplified, japanese, korean]
  return [simplified, traditional, japanese, korean]
}

interface Range {
  start: number
  end: number
  subset: string
}

const rangesByFamily = new Map<string, readonly Range[]>()

/** Returns the subsets of a font package that are intended to contain a code point, from the list of the package. */
export function subsetsFor(family: string, codePoint: number): string[] {
  return loadRanges(family).flatMap(({ start, end, subset }) => (start <= codePoint && codePoint <= end ? [subset] : []))
}

/** Reads the list once per package. It is small. */
function loadRanges(family: string): readonly Range[] {
  const known = rangesByFamily.get(family)
  if (known) return known
  const list = readFileSync(new URL(import.meta.resolve(`@fontsource/${family}/unicode.json`)), 'utf8')
  const ranges = Object.entries(JSON.parse(list) as Record<string, string>).flatMap(([subset, text]) => parseRanges(text, subset))
  rangesByFamily.set(family, ranges)
  return ranges
}

function parseRanges(text: string, subset: string): Range[] {
  return text.split(',').map((range) => {
    const [start = '', end = start] = range.replace('U+', '').split('-')
    return { start: Number.parseInt(start, 16), end: Number.parseInt(end, 16), subset }
  })
}
