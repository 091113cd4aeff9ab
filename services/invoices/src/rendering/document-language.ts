import type { DocumentWords } from './document-words.ts'
import { arabic } from './words/arabic.ts'
import { dutch } from './words/dutch.ts'
import { english } from './words/english.ts'
import { french } from './words/french.ts'
import { german } from './words/german.ts'
import { hebrew } from './words/hebrew.ts'
import { italian } from './words/italian.ts'
import { japanese } from './words/japanese.ts'
import { portuguese } from './words/portuguese.ts'
import { spanish } from './words/spanish.ts'

export const wordsByLanguage: Readonly<Record<string, DocumentWords>> = {
  ar: arabic,
  de: german,
  en: english,
  es: spanish,
  fr: french,
  he: hebrew,
  it: italian,
  ja: japanese,
  nl: dutch,
  pt: portuguese,
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
  const words = wordsByLanguage[new Intl.Locale(wanted).language]
  return words ? { words, locale: wanted, wanted } : { words: wordsByLanguage['en'] as DocumentWords, locale: 'en', wanted }
}

/** Without extensions: they would change calendar and figures. What is no locale at all is English. */
function canonicalLocale(locale: string): string {
  try {
    return new Intl.Locale(locale.replaceAll('_', '-')).baseName
  } catch {
    return 'en'
  }
}
