import type { Language } from '@quittance/pages/locale'
import { accountWords } from './account-words.ts'
import { ar } from './ar.ts'
import { cancellationWords } from './cancellation-words.ts'
import { de } from './de.ts'
import { declarationWords } from './declaration-words.ts'
import { emailWords } from './email-words.ts'
import { en, type CommonWords } from './en.ts'
import { es } from './es.ts'
import { fr } from './fr.ts'
import { he } from './he.ts'
import { it } from './it.ts'
import { ja } from './ja.ts'
import { ko } from './ko.ts'
import { linkWords } from './link-words.ts'
import { methodWords } from './method-words.ts'
import { newMethodWords } from './new-method-words.ts'
import { nl } from './nl.ts'
import { pagingWords } from './paging-words.ts'
import { pastDueWords } from './past-due-words.ts'
import { payWords } from './pay-words.ts'
import { invoiceErrorWords } from './invoice-error-words.ts'
import { paymentWords } from './payment-words.ts'
import { pt } from './pt.ts'
import { planNoticeWords } from './plan-notice-words.ts'
import { planWords } from './plan-words.ts'
import { reminderWords } from './reminder-words.ts'
import { signInWords } from './sign-in-words.ts'
import { subscriptionMethodWords } from './subscription-method-words.ts'
import { transferRenewalWords } from './transfer-renewal-words.ts'
import { trialWords } from './trial-words.ts'
import { verificationWords } from './verification-words.ts'
import { withdrawalWords } from './withdrawal-words.ts'
import { zhHant } from './zh-hant.ts'
import { zh } from './zh.ts'

const byLanguage: Record<Language, CommonWords> = { ar, de, en, es, fr, he, it, ja, ko, nl, pt, zh, 'zh-Hant': zhHant }

/** Words of the pages in one language. A language that lacks a key does not compile. */
export interface Words extends CommonWords {
  declaration: (typeof declarationWords)['en'] & (typeof withdrawalWords)['en'] & (typeof cancellationWords)['en']
  paging: (typeof pagingWords)['en']
  pay: (typeof payWords)['en'] & (typeof pastDueWords)['en']
  payment: (typeof paymentWords)['en']
  account: (typeof accountWords)['en']
  email: (typeof emailWords)['en']
  invoiceError: (typeof invoiceErrorWords)['en']
  link: (typeof linkWords)['en']
  method: (typeof methodWords)['en'] & (typeof newMethodWords)['en'] & (typeof subscriptionMethodWords)['en']
  plan: (typeof planWords)['en'] & (typeof planNoticeWords)['en']
  reminder: (typeof reminderWords)['en']
  signIn: (typeof signInWords)['en']
  transferRenewal: (typeof transferRenewalWords)['en']
  trial: (typeof trialWords)['en']
  verification: (typeof verificationWords)['en']
}

const all = Object.fromEntries(
  (Object.keys(byLanguage) as Language[]).map((language) => [
    language,
    {
      ...byLanguage[language],
      declaration: { ...declarationWords[language], ...withdrawalWords[language], ...cancellationWords[language] },
      paging: pagingWords[language],
      pay: { ...payWords[language], ...pastDueWords[language] },
      payment: paymentWords[language],
      account: accountWords[language],
      email: emailWords[language],
      invoiceError: invoiceErrorWords[language],
      link: linkWords[language],
      method: { ...methodWords[language], ...newMethodWords[language], ...subscriptionMethodWords[language] },
      plan: { ...planWords[language], ...planNoticeWords[language] },
      reminder: reminderWords[language],
      signIn: signInWords[language],
      transferRenewal: transferRenewalWords[language],
      trial: trialWords[language],
      verification: verificationWords[language],
    },
  ]),
) as Record<Language, Words>

/** Returns the words of a language. */
export function wordsIn(language: Language): Words {
  return all[language]
}
