import { expect, test } from 'vitest'
import { documentFonts } from './document-fonts.ts'
import { fontFile, fontNamed, fontPath } from './font-files.ts'

/** The fonts of a page, each with its letters; the two weights count once. */
function faces(text: string, locale = 'en'): { font: string; letters: string }[] {
  const css = documentFonts(text, locale)
  const regular = css.split('\n').filter((face) => face.includes('font-weight: 400'))
  expect(css.split('\n')).toHaveLength(regular.length * 2)
  return regular.map((face) => {
    const { family } = fontNamed(face.match(/url\(([^)]+)\)/)?.[1] ?? '') ?? {}
    const range = face.match(/unicode-range: (.*) }/)?.[1] as string
    const points = range.split(',').filter((point) => !point.includes('-'))
    return { font: family ?? 'unknown', letters: points.map((point) => String.fromCodePoint(Number.parseInt(point.slice(2), 16))).join('') }
  })
}

const fontOf = (letter: string, locale?: string) => faces(letter, locale).find(({ letters }) => letters.includes(letter))?.font

test('Latin text carries one font in two weights', () => {
  expect(faces('Ada Lovelace, $1,234.50')).toEqual([{ font: 'inter', letters: '' }])
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
])('%s is set in %s', (letter, font) => {
  expect(fontOf(letter)).toBe(font)
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
])('a Han character in a document of %s has the form of %s (checklist 85)', (locale, font) => {
  expect(fontOf('骨', locale)).toBe(font)
})

test('a character that the locale’s font lacks comes from one that has it', () => {
  expect(fontOf('们', 'ja')).toBe('noto-sans-sc')
})

test('only files with letters of the text are carried, and they answer for these letters and their parts only', () => {
  const carried = faces('請求書 Łódź', 'ja')
  expect(carried.length).toBeLessThanOrEqual(5)
  expect(
    Array.from(carried.map(({ letters }) => letters).join(''))
      .toSorted()
      .join(''),
  ).toBe(Array.from('Łóź\u0301\u0301書求請').toSorted().join(''))
})

test('a font answers also for the parts a letter is taken into', () => {
  expect(faces('จำกัด').find(({ font }) => font === 'noto-sans-thai')?.letters).toContain('\u0e4d')
})

test('a letter and the marks on it come from one font', () => {
  for (const [cluster, font] of [
    ['नि', 'noto-sans'],
    ['שָׁ', 'noto-sans-hebrew'],
    ['e\u0301', 'inter'],
  ] as const) {
    expect(faces(cluster).find(({ letters }) => Array.from(cluster).some((letter) => letters.includes(letter)))).toMatchObject({ font })
    expect(faces(cluster).filter(({ letters }) => letters !== '')).toHaveLength(1)
  }
})

test('marks of direction and narrow spaces ask for no font of their own', () => {
  expect(faces('\u200e\u200f\u202f\u2066\u2069\u061c').map(({ font }) => font)).toEqual(['inter'])
})

test('a letter that no font has is left out, and the rest is there (checklist 83)', () => {
  expect(faces('𓀀 Łódź').map(({ font }) => font)).toEqual(['inter', 'inter'])
})

test('a font stays in memory while it is used, and goes when many others were', () => {
  const first = { family: 'noto-sans-kr', subset: '[0]', weight: 400 } as const
  const font = fontFile(first)
  expect(fontFile(first)).toBe(font)
  for (const family of ['noto-sans-jp', 'noto-sans-kr'])
    for (const weight of [400, 700] as const)
      for (let index = 1; index < 120; index += 1) fontFile({ family, subset: `[${index}]`, weight })
  expect(fontFile(first)).not.toBe(font)
})

test('a document asks for a font by a path that names it, and no other path does', () => {
  expect(fontNamed(fontPath({ family: 'noto-sans-kr', subset: '[12]', weight: 700 }))).toEqual({
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
    expect(fontNamed(path)).toBeNull()
})
