import { expect, test } from 'vitest'
import { documentLanguage, wordsByLanguage } from './document-language.ts'
import type { DocumentWords } from './document-words.ts'

/** All that a language says, each form filled in with the same things. */
function spoken(words: DocumentWords): Record<string, string> {
  const reference = { number: 'A-1', date: 'D' }
  return {
    ...Object.fromEntries(Object.entries(words).flatMap(([key, value]) => (typeof value === 'string' ? [[key, value]] : []))),
    servicePeriod: words.servicePeriod('P'),
    taxOn: words.taxOn({ tax: 'T', base: 'B' }),
    paidOn: words.paidOn('D'),
    takesBack: words.takesBack(reference),
    replaces: words.replaces(reference),
    pageCount: words.pageCount.join('1'),
  }
}

const english = spoken(wordsByLanguage['en'] as DocumentWords)
/** What some languages write as English does. */
const shared = new Set(['direction', 'total', 'subtotal', 'pageCount', 'taxOn', 'description'])

test.each(Object.entries(wordsByLanguage))('in %s every word is there', (_, words) => {
  expect(Object.keys(spoken(words)).toSorted()).toEqual(Object.keys(english).toSorted())
  expect(Object.entries(spoken(words)).filter(([, text]) => text.trim() === '')).toEqual([])
  for (const text of [words.takesBack({ number: 'A-1', date: 'D' }), words.replaces({ number: 'A-1', date: 'D' })]) {
    expect(text).toMatch(/A-1/)
    expect(text).toMatch(/D/)
  }
})

test.each(Object.entries(wordsByLanguage).filter(([language]) => language !== 'en'))(
  'in %s no English was left by accident',
  (_, words) => {
    const same = Object.entries(spoken(words)).filter(([key, text]) => text === english[key])
    expect(same.map(([key]) => key).filter((key) => !shared.has(key))).toEqual([])
  },
)

test.each(['ar', 'he', 'ja', 'ko', 'zh', 'zh-Hant'])('in %s no word is in Latin letters', (language) => {
  const entries = Object.entries(spoken(wordsByLanguage[language] as DocumentWords)).filter(([key]) => key !== 'direction')
  expect(entries.filter(([, text]) => /[A-Za-z]/.test(text.replaceAll(/A-1|QR|[DPTB]/g, '')))).toEqual([])
})

test.each([
  ['de-CH', 'de-CH'],
  ['de_AT', 'de-AT'],
  ['pt-BR', 'pt-BR'],
  ['ja', 'ja'],
  ['iw', 'he'],
  ['ar-u-nu-thai', 'ar'],
])('%s speaks its language and follows %s', (asked, locale) => {
  const language = documentLanguage(asked)
  expect(language.locale).toBe(locale)
  expect(language.words).toBe(wordsByLanguage[locale.slice(0, 2)])
})

test.each([
  ['zh', '合计'],
  ['zh-CN', '合计'],
  ['zh-TW', '總計'],
  ['zh-HK', '總計'],
  ['zh-Hant', '總計'],
])('%s is written with the characters of its place', (asked, total) => {
  expect(documentLanguage(asked)).toMatchObject({ locale: asked, words: { total } })
})

test.each(['xx-YY', 'pl-PL', '', 'C', 'en_US.UTF-8', '<script>', '__proto__', 'constructor', 'th-TH'])(
  'where %j has no words, all of it is English (checklist 77)',
  (asked) => {
    expect(documentLanguage(asked)).toMatchObject({ locale: 'en', words: { invoice: 'Invoice' } })
  },
)
