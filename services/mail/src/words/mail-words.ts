import type { ContractWords } from './contract-words.ts'
import type { EmailUpdateWords } from './email-update-words.ts'
import type { FailedPaymentWords } from './failed-payment-words.ts'
import type { PasswordResetWords } from './password-reset-words.ts'
import type { ReminderWords } from './reminder-words.ts'
import type { DeclarationMailWords, MailText } from './declaration-words.ts'
import type { TransferRenewalWords } from './transfer-renewal-words.ts'
import type { TransferWords } from './transfer-words.ts'

/**
 * Texts of all mails in one language. `{name}` is replaced by a value; every language uses the same names as English. A missing key does not
 * compile.
 */
export interface MailWords extends BaseMailWords {
  declaration: DeclarationMailWords
  contract: ContractWords
  emailUpdate: EmailUpdateWords
  failedPayment: FailedPaymentWords
  reminder: ReminderWords
  trial: MailText
  planConfirmation: MailText
  transfer: TransferWords
  transferRenewal: TransferRenewalWords
  passwordReset: PasswordResetWords
}

/** Texts that each language has in one file. */
export interface BaseMailWords {
  /** Direction of the script. */
  direction: 'ltr' | 'rtl'
  receipt: {
    subject: string
    title: string
    text: string
    freeTitle: string
    freeText: string
    startedTitle: string
    renewedTitle: string
    changedTitle: string
  }
  refund: MailText
  paymentFailed: MailText
  /** `pausedText`: a failed payment had paused the access before. */
  cancelled: MailText & { pausedText: string }
  uncancelled: MailText
  ended: MailText
  planChanged: MailText
  invoice: MailText
  creditNote: MailText
  code: MailText & { warning: string }
  invitation: MailText & { warning: string }
  facts: Record<FactName, string>
  /** Price of a billing interval. */
  per: Record<'month' | 'year', string>
  actions: Record<'portal' | 'pay' | 'invoice' | 'creditNote' | 'invitation', string>
  footers: Record<'customer' | 'code' | 'invitation', string>
}

/** Labels of facts. */
export type FactName =
  | 'date'
  | 'subtotal'
  | 'discount'
  | 'tax'
  | 'total'
  | 'refunded'
  | 'price'
  | 'nextPayment'
  | 'accessUntil'
  | 'number'
  | 'amount'
