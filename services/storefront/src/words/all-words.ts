import type { Language } from '@quittance/pages/locale'
import { ar } from './ar.ts'
import { de } from './de.ts'
import { en } from './en.ts'
import { es } from './es.ts'
import { fr } from './fr.ts'
import { he } from './he.ts'
import { it } from './it.ts'
import { ja } from './ja.ts'
import { ko } from './ko.ts'
import { nl } from './nl.ts'
import { pt } from './pt.ts'
import type { Words } from './words.ts'
import { zhHant } from './zh-hant.ts'
import { zh } from './zh.ts'

const byLanguage: Record<Language, Words> = { ar, de, en, es, fr, he, it, ja, ko, nl, pt, zh, 'zh-Hant': zhHant }

/** Returns the words of a language. */
export function wordsIn(language: Language): Words {
  return byLanguage[language]
}
