import { expect, test } from 'vitest'
import { documentFonts } from './document-fonts.ts'
import { fontFile, parseFontPath, fontPath } from './font-files.ts'

/** The fonts of a page with their characters. The two weights count once. */
function faces(text: string, locale = 'en'): { font: string; characters: string }[] {
  const css = documentFonts(text, locale)
  const regular = css.split('\n').filter((face) => face.includes('font-weight: 400'))
  expect(css.split('\n')).toHaveLength(regular.length * 2)
  return regular.map((face) => {
    const { family } = parseFontPath(face.match(/url\(([^)]+)\)/)?.[1] ?? '') ?? {}
    const range = face.match(/unicode-range: (.*) }/)?.[1] as string
    const points = range.split(',').filter((point) => !point.includes('-'))
    return {
      font: family ?? 'unknown',
      characters: points.map((point) => String.fromCodePoint(Number.parseInt(point.slice(2), 16))).join(''),
    }
  })
}

const findFont = (letter: string, locale?: string) => faces(letter, locale).find(({ characters }) => characters.includes(letter))?.font

test('uses one font in two weights for Latin text', () => {
  expect(faces('Ada Lovelace, $1,234.50')).toEqual([{ font: 'inter', characters: '' }])
})

test.each([
  ['Ł', 'inter'],
  ['ễ', 'inter'],
  ['Ω', 'inter'],
  ['Ї', 'inter'],
  ['ش', 'noto-sans-arabic'],
  ['ש', 'noto-sans-hebrew'],
  ['न', 'noto-sans'],
  ['ส', 'noto-sans-thai'],
  ['한', 'noto-sans-kr'],
  ['サ', 'noto-sans-jp'],
  ['骨', 'noto-sans-sc'],
])('sets %s in %s', (letter, font) => {
  expect(findFont(letter)).toBe(font)
})

test.each([
  ['ja', 'noto-sans-jp'],
  ['ja-JP', 'noto-sans-jp'],
  ['ko', 'noto-sans-kr'],
  ['zh', 'noto-sans-sc'],
  ['zh-Hans', 'noto-sans-sc'],
  ['zh-CN', 'noto-sans-sc'],
  ['zh-Hant', 'noto-sans-tc'],
  ['zh-TW', 'noto-sans-tc'],
  ['zh-HK', 'noto-sans-tc'],
  ['de', 'noto-sans-sc'],
])('sets a Han character in a document of locale %s in %s [85]', (locale, font) => {
  expect(findFont('骨', locale)).toBe(font)
})

test('uses another font for a character that the font of the locale lacks', () => {
  expect(findFont('们', 'ja')).toBe('noto-sans-sc')
})

test('includes only files with characters of the text, restricted to these and their parts', () => {
  const carried = faces('請求書 Łódź', 'ja')
  expect(carried.length).toBeLessThanOrEqual(5)
  expect(
    Array.from(carried.map(({ characters }) => characters).join(''))
      .toSorted()
      .join(''),
  ).toBe(Array.from('Łóź\u0301\u0301書求請').toSorted().join(''))
})

test('declares a font also for the parts of a decomposed character', () => {
  expect(faces('จำกัด').find(({ font }) => font === 'noto-sans-thai')?.characters).toContain('\u0e4d')
})

test('sets a base character and its combining marks in one font', () => {
  for (const [cluster, font] of [
    ['नि', 'noto-sans'],
    ['שָׁ', 'noto-sans-hebrew'],
    ['e\u0301', 'inter'],
  ] as const) {
    expect(faces(cluster).find(({ characters }) => Array.from(cluster).some((letter) => characters.includes(letter)))).toMatchObject({
      font,
    })
    expect(faces(cluster).filter(({ characters }) => characters !== '')).toHaveLength(1)
  }
})

test('loads no additional font for direction marks and narrow spaces', () => {
  expect(faces('\u200e\u200f\u202f\u2066\u2069\u061c').map(({ font }) => font)).toEqual(['inter'])
})

test('skips a character that no font contains, and sets the rest [83]', () => {
  expect(faces('𓀀 Łódź').map(({ font }) => font)).toEqual(['inter', 'inter'])
})

test('keeps a used font in memory and evicts it after many others were used', () => {
  const first = { family: 'noto-sans-kr', subset: '[0]', weight: 400 } as const
  const font = fontFile(first)
  expect(fontFile(first)).toBe(font)
  for (const family of ['noto-sans-jp', 'noto-sans-kr'])
    for (const weight of [400, 700] as const)
      for (let index = 1; index < 120; index += 1) fontFile({ family, subset: `[${index}]`, weight })
  expect(fontFile(first)).not.toBe(font)
})

test('parses the paths of fonts and rejects all others', () => {
  expect(parseFontPath(fontPath({ family: 'noto-sans-kr', subset: '[12]', weight: 700 }))).toEqual({
    family: 'noto-sans-kr',
    subset: '12',
    weight: 700,
  })
  for (const path of [
    '/fonts/inter/latin/500',
    '/fonts/../inter/latin/400',
    '/fonts/inter/%2e%2e%2flatin/400',
    '/fonts/inter/latin/400/',
    '/',
  ])
    expect(parseFontPath(path)).toBeNull()
})
