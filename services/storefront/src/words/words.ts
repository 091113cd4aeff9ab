import type { Language } from '@quittance/pages/locale'
import { en } from './en.ts'

/** Words of the pages in one language. A language that lacks a key does not compile. */
export type Words = typeof en

const byLanguage: Partial<Record<Language, Words>> = { en }

/** Returns the words of a language. */
export function wordsIn(language: Language): Words {
  return byLanguage[language] ?? en
}
