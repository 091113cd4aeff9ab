import { expect, test } from 'vitest'
import { documentLanguage, stringsByLanguage } from './document-language.ts'
import type { DocumentStrings } from './locales/document-strings.ts'

/** All strings of a language, with templates filled with the same values. */
function fillStrings(strings: DocumentStrings): Record<string, string> {
  const reference = { number: 'A-1', date: 'D' }
  return {
    ...Object.fromEntries(Object.entries(strings).flatMap(([key, value]) => (typeof value === 'string' ? [[key, value]] : []))),
    servicePeriod: strings.servicePeriod('P'),
    taxOn: strings.taxOn({ tax: 'T', base: 'B' }),
    paidOn: strings.paidOn('D'),
    takesBack: strings.takesBack(reference),
    replaces: strings.replaces(reference),
    pageCount: strings.pageCount.join('1'),
    unused: strings.unused('P'),
    remaining: strings.remaining('P'),
    ...strings.adjustments,
  }
}

const english = fillStrings(stringsByLanguage['en'] as DocumentStrings)
/** Keys whose text may equal the English one. */
const shared = new Set(['direction', 'total', 'subtotal', 'pageCount', 'taxOn', 'description'])

test.each(Object.entries(stringsByLanguage))('has every string in %s', (_, strings) => {
  expect(Object.keys(fillStrings(strings)).toSorted()).toEqual(Object.keys(english).toSorted())
  expect(Object.entries(fillStrings(strings)).filter(([, text]) => text.trim() === '')).toEqual([])
  for (const text of [strings.takesBack({ number: 'A-1', date: 'D' }), strings.replaces({ number: 'A-1', date: 'D' })]) {
    expect(text).toMatch(/A-1/)
    expect(text).toMatch(/D/)
  }
})

test.each(Object.entries(stringsByLanguage).filter(([language]) => language !== 'en'))('has no English string left in %s', (_, strings) => {
  const same = Object.entries(fillStrings(strings)).filter(([key, text]) => text === english[key])
  expect(same.map(([key]) => key).filter((key) => !shared.has(key))).toEqual([])
})

test.each(['ar', 'he', 'ja', 'ko', 'zh', 'zh-Hant'])('has no Latin characters in the strings of %s', (language) => {
  const entries = Object.entries(fillStrings(stringsByLanguage[language] as DocumentStrings)).filter(([key]) => key !== 'direction')
  expect(entries.filter(([, text]) => /[A-Za-z]/.test(text.replaceAll(/A-1|QR|[DPTB]/g, '')))).toEqual([])
})

test.each([
  ['de-CH', 'de-CH'],
  ['de_AT', 'de-AT'],
  ['pt-BR', 'pt-BR'],
  ['ja', 'ja'],
  ['iw', 'he'],
  ['ar-u-nu-thai', 'ar'],
])('uses the language of %s and formats for %s', (requested, locale) => {
  const language = documentLanguage(requested)
  expect(language.locale).toBe(locale)
  expect(language.strings).toBe(stringsByLanguage[locale.slice(0, 2)])
})

test.each([
  ['zh', '合计'],
  ['zh-CN', '合计'],
  ['zh-TW', '總計'],
  ['zh-HK', '總計'],
  ['zh-Hant', '總計'],
])('uses the script of %s', (requested, total) => {
  expect(documentLanguage(requested)).toMatchObject({ locale: requested, strings: { total } })
})

test.each(['xx-YY', 'pl-PL', '', 'C', 'en_US.UTF-8', '<script>', '__proto__', 'constructor', 'th-TH'])(
  'prints the whole document in English for locale %j without strings [77]',
  (requested) => {
    expect(documentLanguage(requested)).toMatchObject({ locale: 'en', strings: { invoice: 'Invoice' } })
  },
)
