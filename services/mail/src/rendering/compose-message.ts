import MailComposer from 'nodemailer/lib/mail-composer'
import type { MailContent } from '../content/mail-content.ts'
import { renderHtml } from './render-html.ts'
import { renderText } from './render-text.ts'

/** Row and addresses from which a message is composed. */
export interface MessageHead {
  /** Id of the row: the Message-ID derives from it, so that every attempt has the same. */
  id: string
  createdAt: Date
  recipient: string
  /** Address that the mail comes from; its name is the seller's. */
  from: string
  /** Domain of the Message-ID: that of the operator in every attempt. */
  idDomain: string
  /** Key of the domain in `from`; null for the key of the operator. */
  signature: SenderSignature | null
  /** Address of the seller for answers; null if the seller has none. */
  replyTo: string | null
  /** Where the recipient stops optional mails, with one request; null for mails without an opt-out. */
  optOutUrl: string | null
}

/** A DKIM key of a seller. */
export interface SenderSignature {
  domainName: string
  keySelector: string
  /** In PEM. */
  privateKey: string
}

/** A message as it is sent. */
export interface ComposedMessage {
  messageId: string
  recipient: string
  subject: string
  text: string
  html: string
  /** The complete message according to RFC 5322. */
  source: Buffer
  signature: SenderSignature | null
}

/** Throws for an address that could name a second recipient or start a header. */
export function assertMailAddress(address: string): void {
  if (address.length > 254 || !/^[^\s@<>()[\]\\,;:"\p{Cc}]+@[^\s@<>()[\]\\,;:"\p{Cc}]+$/u.test(address))
    throw new Error('The recipient is not an e-mail address')
}

/** RFC 8058: mail programs offer a button, which sends one request. */
function oneClick(url: string): Record<string, string> {
  return { 'List-Unsubscribe': `<${url}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }
}

/**
 * Returns text as a header shows it. Clients decode encoded words (RFC 2047) in subjects and even in quoted names, so text that is one already
 * would become characters that were removed before.
 */
function toHeaderText(text: string): string {
  return text.replaceAll('=?', '= ?')
}

/** Every character that compatibility normalization (NFKC) turns into @. */
const atSigns = /[@\uFE6B\uFF20]/g

/** Composes the message with both renderings. The same row, content and sender give the same bytes. */
export async function composeMessage(content: MailContent, head: MessageHead): Promise<ComposedMessage> {
  const { id, createdAt, recipient, from, idDomain, replyTo, signature, optOutUrl } = head
  assertMailAddress(recipient)
  if (replyTo !== null) assertMailAddress(replyTo)
  const messageId = `<${id}@${idDomain}>`
  const subject = toHeaderText(content.subject)
  // An address as the name would pass for another sender.
  const name = toHeaderText(content.seller.replaceAll(atSigns, ' '))
  const [text, html] = [renderText(content), renderHtml(content)]
  const composer = new MailComposer({
    from: { name, address: from },
    to: { name: '', address: recipient },
    ...(replyTo !== null && { replyTo: { name, address: replyTo } }),
    subject,
    text,
    html,
    messageId,
    date: createdAt,
    // RFC 3834: no automatic answers, please.
    headers: { 'Auto-Submitted': 'auto-generated', 'Content-Language': content.locale, ...(optOutUrl !== null && oneClick(optOutUrl)) },
    baseBoundary: id,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return { messageId, recipient, subject, text, html, source: await composer.compile().build(), signature }
}
