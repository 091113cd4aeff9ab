import { findTexts, languageTag } from '@quittance/contracts/locale'
import type { MailText } from './declaration-words.ts'
import { arabic } from './arabic.ts'
import { contractWords, type ContractWords } from './contract-words.ts'
import { declarationWords, type DeclarationMailWords } from './declaration-words.ts'
import { emailUpdateWords, type EmailUpdateWords } from './email-update-words.ts'
import { dutch } from './dutch.ts'
import { english } from './english.ts'
import { failedPaymentWords, type FailedPaymentWords } from './failed-payment-words.ts'
import { french } from './french.ts'
import { german } from './german.ts'
import { hebrew } from './hebrew.ts'
import { italian } from './italian.ts'
import { japanese } from './japanese.ts'
import { korean } from './korean.ts'
import type { BaseMailWords, MailWords } from './mail-words.ts'
import { passwordResetWords, type PasswordResetWords } from './password-reset-words.ts'
import { planConfirmationWords } from './plan-confirmation-words.ts'
import { portuguese } from './portuguese.ts'
import { reminderWords, type ReminderWords } from './reminder-words.ts'
import { transferRenewalWords, type TransferRenewalWords } from './transfer-renewal-words.ts'
import { transferWords, type TransferWords } from './transfer-words.ts'
import { trialWords } from './trial-words.ts'
import { simplifiedChinese } from './simplified-chinese.ts'
import { spanish } from './spanish.ts'
import { traditionalChinese } from './traditional-chinese.ts'

const baseWords: Readonly<Record<string, BaseMailWords>> = {
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

/** The words of all mails by language. */
export const wordsByLanguage: Readonly<Record<string, MailWords>> = Object.fromEntries(
  Object.entries(baseWords).map(([language, words]) => [
    language,
    {
      ...words,
      declaration: declarationWords[language] as DeclarationMailWords,
      contract: contractWords[language] as ContractWords,
      emailUpdate: emailUpdateWords[language] as EmailUpdateWords,
      failedPayment: failedPaymentWords[language] as FailedPaymentWords,
      reminder: reminderWords[language] as ReminderWords,
      trial: trialWords[language] as MailText,
      planConfirmation: planConfirmationWords[language] as MailText,
      transfer: transferWords[language] as TransferWords,
      transferRenewal: transferRenewalWords[language] as TransferRenewalWords,
      passwordReset: passwordResetWords[language] as PasswordResetWords,
    },
  ]),
)

/** Language of one mail. */
export interface MailLanguage {
  words: MailWords
  /** BCP 47: of amounts, dates and the `lang` attribute. It has the language of the words. */
  locale: string
}

/** Returns the words of a locale or of its language; English for null, an invalid locale and a language without words. */
export function mailLanguage(requested: string | null): MailLanguage {
  const locale = languageTag(requested ?? 'en')
  const words = findTexts(wordsByLanguage, locale)
  return words ? { words, locale } : { words: wordsByLanguage['en'] as MailWords, locale: 'en' }
}
