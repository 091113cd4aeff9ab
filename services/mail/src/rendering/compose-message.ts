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
  /** Address of the seller for answers; null if the seller has none. */
  replyTo: string | null
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
}

/** Throws for an address that could name a second recipient or start a header. */
export function assertMailAddress(address: string): void {
  if (address.length > 254 || !/^[^\s@<>()[\]\\,;:"\p{Cc}]+@[^\s@<>()[\]\\,;:"\p{Cc}]+$/u.test(address))
    throw new Error('The recipient is not an e-mail address')
}

/** Composes the message with both renderings. The same row, content and sender give the same bytes. */
export async function composeMessage(content: MailContent, head: MessageHead): Promise<ComposedMessage> {
  const { id, createdAt, recipient, from, replyTo } = head
  assertMailAddress(recipient)
  if (replyTo !== null) assertMailAddress(replyTo)
  const messageId = `<${id}@${from.slice(from.lastIndexOf('@') + 1)}>`
  const { subject } = content
  const [text, html] = [renderText(content), renderHtml(content)]
  const composer = new MailComposer({
    // An address as the name would pass for another sender.
    from: { name: content.seller.replaceAll('@', ' '), address: from },
    to: { name: '', address: recipient },
    ...(replyTo !== null && { replyTo: { name: content.seller.replaceAll('@', ' '), address: replyTo } }),
    subject,
    text,
    html,
    messageId,
    date: createdAt,
    // RFC 3834: no automatic answers, please.
    headers: { 'Auto-Submitted': 'auto-generated', 'Content-Language': content.locale },
    baseBoundary: id,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return { messageId, recipient, subject, text, html, source: await composer.compile().build() }
}
