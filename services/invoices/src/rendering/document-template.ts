import { addressLines } from './address-lines.ts'
import { vatNumber } from '../documents/vat-number.ts'
import { documentFooter } from './document-footer.ts'
import { documentFonts, findMissingCharacters } from './document-fonts.ts'
import { documentStyles } from './document-styles.ts'
import { documentTable } from './document-table.ts'
import { documentTransfer } from './document-transfer.ts'
import { documentLocale, saleLocale, type DocumentLocale } from './document-locale.ts'
import { escapeHtml, isolateDirection } from './markup.ts'
import { formatPicture, isWithinPictureLimits, parsePicture } from '../pictures/picture.ts'
import type { CreditReason } from './locales/document-strings.ts'
import type { DocumentModel, SellerBlock } from './document-model.ts'

/** A document as a page. */
export interface DocumentPage {
  /** Contains no script and loads only the fonts it names, from its own origin. External texts are escaped and have isolated directions. */
  html: string
  /** Characters that no font contains: they would be printed as boxes. */
  unprintable: string[]
}

/** Lays out a document as one HTML page. */
export function documentPage(document: DocumentModel): DocumentPage {
  const localization = documentLocale(document)
  const { strings, locale, wanted } = localization
  const parts = [header, parties, documentTable, documentTransfer, documentFooter].map((part) => part(document, localization))
  const styles = documentStyles(document, localization)
  const fonts = documentFonts(parts.join('') + styles.characters, wanted)
  const title = `<title>${escapeHtml(documentTitle(document, localization))}</title>`
  const printed = parts.join('').replaceAll(/<[^>]+>/g, ' ') + styles.characters
  return {
    html: `<!doctype html><html lang="${locale}" dir="${strings.direction}"><head><meta charset="utf-8">${title}
<style>${fonts}${styles.css}</style></head><body>${parts.join('\n')}</body></html>`,
    unprintable: findMissingCharacters(printed, wanted),
  }
}

/** Returns the title shown by PDF readers: `Invoice NORTHWIND-0042`. */
export function documentTitle({ kind, number }: DocumentModel, { strings }: Pick<DocumentLocale, 'strings'>): string {
  return `${kind === 'invoice' ? strings.invoice : strings.creditNote} ${number}`
}

function header(document: DocumentModel, localization: DocumentLocale): string {
  const { strings } = localization
  const title = document.kind === 'invoice' ? strings.invoice : strings.creditNote
  return `<header><div><h1>${escapeHtml(title)}</h1>${status(document, localization)}</div>${brand(document.seller)}</header>${facts(document, localization)}${reference(document, localization)}`
}

/** The amount, and that it was paid, is due or was credited: what a reader looks for first. */
function status(document: DocumentModel, { strings, money, date, day }: DocumentLocale): string {
  const { kind, total, paidAt, refund, transfer } = document
  const state =
    kind === 'credit_note'
      ? `${strings.totalCredited}${refund ? ` · ${date(refund.refundedAt)}` : ''}`
      : paidAt
        ? strings.paidOn(saleLocale(document).date(paidAt))
        : transfer
          ? strings.dueOn(day(transfer.dueDate))
          : strings.total
  return `<p class="status"><span class="figure">${escapeHtml(money(total))}</span> <span>${escapeHtml(state)}</span></p>`
}

function brand({ name, logo }: SellerBlock): string {
  const picture = logo && parsePicture(logo)
  // Snapshots of earlier releases may contain any logo. Any other URL would cause a request, and a large picture would block the page.
  if (!picture || !isWithinPictureLimits(picture)) return `<p class="brand">${isolateDirection(name)}</p>`
  return `<img class="brand" src="${formatPicture(picture.type, picture.bytes)}" alt="${escapeHtml(name)}">`
}

/** Every document states when it was issued and when it was supplied (Directive 2006/112/EC, Art. 226 (7)). */
function facts(document: DocumentModel, { strings, date }: DocumentLocale): string {
  const { kind, number, issuedAt, orderedAt, currency, servicePeriod, refund, isVoid } = document
  const sale = saleLocale(document)
  const isDistinct = sale.date(orderedAt) !== date(issuedAt)
  const supplied = servicePeriod ? sale.period(servicePeriod) : sale.date(orderedAt)
  const withoutRefund = isVoid ? 'void' : 'correction'
  const reason = refund ? refundReason(refund.reason) : kind === 'credit_note' && refund === null ? withoutRefund : null
  const entries: (readonly [string, string])[] = [
    [kind === 'invoice' ? strings.invoiceNumber : strings.creditNoteNumber, number],
    [strings.dateOfIssue, date(issuedAt)],
    ...(servicePeriod && isDistinct ? [[strings.dateOfOrder, sale.date(orderedAt)] as const] : []),
    [strings.dateOfSupply, supplied],
    ...(refund ? [[strings.dateOfRefund, date(refund.refundedAt)] as const] : []),
    ...(reason ? [[strings.reason, strings.reasons[reason]] as const] : []),
    [strings.currency, currency.toUpperCase()],
  ]
  return `<dl>${entries.map(([name, value]) => `<div><dt>${escapeHtml(name)}</dt><dd>${escapeHtml(value)}</dd></div>`).join('')}</dl>`
}

const refundReasons = ['duplicate', 'customer_request', 'service_disruption', 'satisfaction_guarantee'] as const

/** Returns the reason of a refund if a document names it: a suspicion of fraud does not belong there. */
function refundReason(reason: string | null): CreditReason | null {
  return refundReasons.find((known) => known === reason) ?? null
}

function reference(document: DocumentModel, { strings }: DocumentLocale): string {
  const { kind, refersTo, timeZone = 'UTC' } = document
  if (!refersTo) return ''
  const { date } = documentLocale({ ...document, timeZone: refersTo.timeZone ?? timeZone })
  const sentence = kind === 'credit_note' ? strings.takesBack : refersTo.kind === 'credit_note' ? strings.reverses : strings.replaces
  return `<p class="reference">${escapeHtml(sentence({ number: refersTo.number, date: date(refersTo.issuedAt) }))}</p>`
}

function parties({ seller, buyer }: DocumentModel, localization: DocumentLocale): string {
  const { strings } = localization
  const { contact } = seller
  const contactLines = [contact?.name, contact?.email, contact?.phone].filter((line) => typeof line === 'string')
  const left = party({ role: strings.seller, ...seller, contact: contactLines }, localization)
  return `<div class="parties">${left}${party({ role: strings.buyer, ...buyer, contact: buyer.email ? [buyer.email] : [] }, localization)}</div>`
}

interface Party extends Pick<SellerBlock, 'name' | 'address' | 'taxId'> {
  role: string
  contact: readonly string[]
}

function party({ role, name, address, taxId, contact }: Party, { strings, country }: DocumentLocale): string {
  const taxLabel = (number: string) => (vatNumber(number, address?.country ?? '') ? strings.taxId : strings.taxNumber)
  const lines = [...(address ? addressLines(address, country) : []), ...contact].map((line) => `<p>${isolateDirection(line)}</p>`)
  const tax = taxId ? `<p><span>${escapeHtml(taxLabel(taxId))}</span> ${isolateDirection(taxId)}</p>` : ''
  return `<section><h2>${escapeHtml(role)}</h2><p class="name">${isolateDirection(name)}</p>${lines.join('')}${tax}</section>`
}
