import { findTexts, languageTag } from '@quittance/contracts/locale'
import type { DocumentStrings } from './locales/document-strings.ts'
import { arabic } from './locales/arabic.ts'
import { dutch } from './locales/dutch.ts'
import { english } from './locales/english.ts'
import { french } from './locales/french.ts'
import { german } from './locales/german.ts'
import { hebrew } from './locales/hebrew.ts'
import { italian } from './locales/italian.ts'
import { japanese } from './locales/japanese.ts'
import { korean } from './locales/korean.ts'
import { portuguese } from './locales/portuguese.ts'
import { simplifiedChinese } from './locales/simplified-chinese.ts'
import { spanish } from './locales/spanish.ts'
import { traditionalChinese } from './locales/traditional-chinese.ts'

export const stringsByLanguage: Readonly<Record<string, DocumentStrings>> = {
  ar: arabic,
  de: german,
  en: english,
  es: spanish,
  fr: french,
  he: hebrew,
  it: italian,
  ja: japanese,
  ko: korean,
  nl: dutch,
  pt: portuguese,
  zh: simplifiedChinese,
  'zh-Hant': traditionalChinese,
}

/** Language of a document. */
export interface DocumentLanguage {
  strings: DocumentStrings
  /** Locale of amounts, dates and the `lang` attribute. It has the language of the strings. */
  locale: string
  /** Locale of the buyer, even if it has no strings. It determines the forms of Han characters. */
  wanted: string
}

/** Returns the strings of a locale or of its language. If there are none, the whole document is in English. */
export function documentLanguage(locale: string): DocumentLanguage {
  const wanted = languageTag(locale)
  const strings = findTexts(stringsByLanguage, wanted)
  return strings ? { strings, locale: wanted, wanted } : { strings: stringsByLanguage['en'] as DocumentStrings, locale: 'en', wanted }
}
