import type { DocumentWords } from './document-words.ts'
import { arabic } from './words/arabic.ts'
import { dutch } from './words/dutch.ts'
import { english } from './words/english.ts'
import { french } from './words/french.ts'
import { german } from './words/german.ts'
import { hebrew } from './words/hebrew.ts'
import { italian } from './words/italian.ts'
import { japanese } from './words/japanese.ts'
import { korean } from './words/korean.ts'
import { portuguese } from './words/portuguese.ts'
import { simplifiedChinese } from './words/simplified-chinese.ts'
import { spanish } from './words/spanish.ts'
import { traditionalChinese } from './words/traditional-chinese.ts'

export const wordsByLanguage: Readonly<Record<string, DocumentWords>> = {
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

/** How a document speaks. */
export interface DocumentLanguage {
  words: DocumentWords
  /** What its amounts and dates follow, and what it says of itself: of the language of the words. */
  locale: string
  /** What the buyer asked for, though there may be no words of it: the forms of Han characters follow it. */
  wanted: string
}

/** The words of that locale, or of its language; English where there are none, and then all of it is English. */
export function documentLanguage(locale: string): DocumentLanguage {
  const wanted = canonicalLocale(locale)
  const words = wordsOf(wanted)
  return words ? { words, locale: wanted, wanted } : { words: wordsByLanguage['en'] as DocumentWords, locale: 'en', wanted }
}

/** Chinese is written in two ways, and Taiwan does not name its own in `zh-TW`. */
function wordsOf(locale: string): DocumentWords | undefined {
  const { language, script } = new Intl.Locale(locale).maximize()
  return wordsByLanguage[`${language}-${script}`] ?? wordsByLanguage[language]
}

/** Without extensions: they would change calendar and figures. What is no locale at all is English. */
function canonicalLocale(locale: string): string {
  try {
    return new Intl.Locale(locale.replaceAll('_', '-')).baseName
  } catch {
    return 'en'
  }
}
