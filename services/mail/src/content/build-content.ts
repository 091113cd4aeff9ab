import type { CodePurpose } from '@quittance/contracts/customer-codes'
import { mailLanguage } from '../words/mail-language.ts'
import { assertOwnAddress, type OwnAddresses } from './own-address.ts'
import { fillSentence, fillText, toVisible, type Link, type MailContent } from './mail-content.ts'
import { fillTexts, forCustomer, type MailToWrite, type Writing, type Written } from './writing.ts'
import { writeRenewalAhead } from './write-renewal-ahead.ts'
import { writePlanChange, writePlanConfirmation, writeSubscriptionChange } from './write-subscription-mails.ts'
import { writeTransferRequest } from './write-transfer-request.ts'
import { writeDeclarationReceipt } from './write-declaration-receipt.ts'
import { isSellerNotice, writeDeclarationNotice, writeEndpointDisabled, writePaymentAccountUnhealthy } from './write-seller-notice.ts'
import type { DocumentData, InvitationData, ReceiptData, RefundData } from './mail-data.ts'
import { findFormats } from './mail-formats.ts'

/** Writes a mail in the language of its recipient. Throws if its content is not allowed in a mail: a link to elsewhere, a missing secret. */
export function buildContent(mail: MailToWrite, addresses: OwnAddresses): MailContent {
  const { words, locale } = mailLanguage(isSellerNotice(mail.data.kind) ? null : mail.locale)
  const seller = toVisible(mail.seller)
  const written = write({ ...mail, seller, words, addresses, formats: findFormats(locale) })
  const empty = { code: null, lines: [], facts: [], notes: [], action: null, links: [] }
  return { locale, direction: words.direction, seller, ...empty, ...written }
}

function write(mail: Writing): Written {
  const { data } = mail
  switch (data.kind) {
    case 'receipt':
      return writeReceipt(mail, data)
    case 'refund':
      return writeRefund(mail, data)
    case 'plan_changed':
      return writePlanChange(mail, data)
    case 'plan_confirmation':
      return writePlanConfirmation(mail, data)
    case 'transfer_request':
      return writeTransferRequest(mail, data)
    case 'renewal_ahead':
    case 'trial_ending':
      return writeRenewalAhead(mail, data)
    case 'invoice':
    case 'credit_note':
      return writeDocument(mail, data)
    case 'customer_code':
      return writeCode(mail, data.purpose)
    case 'invitation':
      return writeInvitation(mail, data)
    case 'password_reset':
      return writePasswordReset(mail)
    case 'withdrawal_receipt':
    case 'cancellation_receipt':
      return writeDeclarationReceipt(mail, data)
    case 'declaration_notice':
      return writeDeclarationNotice(mail, data)
    case 'endpoint_disabled':
      return writeEndpointDisabled(mail, data)
    case 'payment_account_unhealthy':
      return writePaymentAccountUnhealthy(mail, data)
    default:
      return writeSubscriptionChange(mail, data)
  }
}

/** Longer orders are shown in part; the invoice has every line, and the sums are those of the whole order. */
const maxLines = 50

function writeReceipt(mail: Writing, data: ReceiptData): Written {
  const { words, formats, seller } = mail
  const { receipt, facts } = words
  const money = (amount: number) => formats.money(amount, data.currency)
  const isFree = data.total === 0
  const titles = { purchase: receipt.title, subscription_create: receipt.startedTitle, subscription_cycle: receipt.renewedTitle }
  const values = { seller, amount: money(data.total) }
  return {
    subject: fillText(receipt.subject, values),
    title:
      data.reason === 'subscription_update'
        ? receipt.changedTitle
        : isFree && data.reason === 'purchase'
          ? receipt.freeTitle
          : titles[data.reason],
    sentences: [fillSentence(isFree ? receipt.freeText : receipt.text, values)],
    lines: [
      { label: facts.date, value: formats.date(data.orderedAt) },
      ...data.items
        .slice(0, maxLines)
        .map(({ label, amount }) => ({ label: toVisible(label, toVisible(data.product)), value: money(amount) })),
    ],
    facts: [
      ...(data.discount > 0 || data.items.length > 1 ? [{ label: facts.subtotal, value: money(data.subtotal) }] : []),
      ...(data.discount > 0 ? [{ label: facts.discount, value: money(-data.discount) }] : []),
      ...data.taxes.map(({ name, percentage, amount }) => ({
        label: `${facts.tax}: ${toVisible(name)}, ${formats.percent(percentage)}`,
        value: money(amount),
      })),
      { label: facts.total, value: money(data.total), isEmphasized: true as const },
    ],
    ...forCustomer(mail),
    links: contractLinks(mail, data),
  }
}

/** The public ways to withdraw and to cancel, which need no sign-in; filled in with the number of the order. */
function contractLinks({ words, slug, locale, addresses }: Writing, { orderId, mayWithdraw, reason }: ReceiptData): Link[] {
  if (slug === null || !orderId) return []
  const query = new URLSearchParams({ reference: orderId, ...(locale && { locale }) }).toString()
  const link = (kind: 'withdraw' | 'cancel') => ({
    label: words.contract[kind],
    url: `${addresses.pages}/${encodeURIComponent(slug)}/${kind}?${query}`,
  })
  return [...(mayWithdraw ? [link('withdraw')] : []), ...(reason === 'purchase' ? [] : [link('cancel')])]
}

function writeRefund(mail: Writing, data: RefundData): Written {
  const { words, formats, seller } = mail
  const amount = formats.money(data.amount, data.currency)
  return {
    ...fillTexts(words.refund, { seller, amount }),
    facts: [
      { label: words.facts.date, value: formats.date(data.refundedAt) },
      { label: words.facts.refunded, value: amount, isEmphasized: true },
    ],
    ...forCustomer(mail),
  }
}

function writeDocument(mail: Writing, data: DocumentData): Written {
  const { words, formats, seller, addresses } = mail
  const name = data.kind === 'invoice' ? 'invoice' : 'creditNote'
  assertOwnAddress(data.url, [addresses.api])
  return {
    ...fillTexts(words[name], { seller, number: toVisible(data.number), date: formats.date(data.urlExpiresAt) }),
    facts: [
      { label: words.facts.number, value: toVisible(data.number) },
      { label: words.facts.total, value: formats.money(data.total, data.currency), isEmphasized: true },
    ],
    footer: fillSentence(words.footers.customer, { seller }),
    action: { label: words.actions[name], url: data.url },
  }
}

function writeCode({ words, seller, secret }: Writing, purpose: CodePurpose | undefined): Written {
  if (secret === null) throw new Error('A mail with a code needs the code')
  const texts = purpose === 'email_update' ? words.emailUpdate : { ...words.code, footer: words.footers.code }
  return {
    ...fillTexts(texts, { seller }),
    code: secret,
    notes: [fillSentence(texts.warning, { seller })],
    footer: fillSentence(texts.footer, { seller }),
  }
}

function writeInvitation({ words, formats, secret, addresses, seller }: Writing, data: InvitationData): Written {
  if (secret === null) throw new Error('An invitation needs its link')
  assertOwnAddress(secret, [addresses.auth])
  const values = { seller, date: formats.date(data.expiresAt) }
  return {
    ...fillTexts(words.invitation, values),
    notes: [fillSentence(words.invitation.warning, values)],
    footer: fillSentence(words.footers.invitation, values),
    action: { label: words.actions.invitation, url: secret },
  }
}

function writePasswordReset({ words, secret, addresses }: Writing): Written {
  if (secret === null) throw new Error('A mail about a password needs its link')
  assertOwnAddress(secret, [addresses.auth])
  const { passwordReset } = words
  return {
    ...fillTexts(passwordReset, {}),
    notes: [[passwordReset.warning]],
    footer: [passwordReset.footer],
    action: { label: passwordReset.action, url: secret },
  }
}
