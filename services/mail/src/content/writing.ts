import type { MailText } from '../words/declaration-words.ts'
import type { MailWords } from '../words/mail-words.ts'
import { fillSentence, fillText, type MailContent, type Sentence } from './mail-content.ts'
import type { MailData } from './mail-data.ts'
import type { MailFormats } from './mail-formats.ts'
import type { OwnAddresses } from './own-address.ts'

/** A mail to write. */
export interface MailToWrite {
  data: MailData
  /** Name of the seller. */
  seller: string
  /** Name of the seller in addresses; null if the mail leads to no page of the seller. */
  slug: string | null
  locale: string | null
  /** The code or link of the mail; null if it has none. */
  secret: string | null
  /** Token of an optional mail with which its recipient stops them; null for other mails. */
  optOut: string | null
}

/** A mail in progress. */
export interface Writing extends MailToWrite {
  words: MailWords
  formats: MailFormats
  addresses: OwnAddresses
}

/** What differs between kinds. */
export type Written = Pick<MailContent, 'subject' | 'title' | 'sentences' | 'footer'> &
  Partial<Pick<MailContent, 'code' | 'lines' | 'facts' | 'notes' | 'action' | 'links'>>

/** Fills subject, title and text of a mail. */
export function fillTexts(
  { subject, title, text }: MailText,
  values: Record<string, string>,
): { subject: string; title: string; sentences: Sentence[] } {
  return { subject: fillText(subject, values), title, sentences: [fillSentence(text, values)] }
}

/** The footer of mails to customers, and the link to their purchases. */
export function forCustomer({ words, seller, slug, addresses }: Writing): Pick<Written, 'footer' | 'action'> {
  return {
    footer: fillSentence(words.footers.customer, { seller }),
    action: slug === null ? null : { label: words.actions.portal, url: `${addresses.pages}/${encodeURIComponent(slug)}/portal` },
  }
}
