import { addressLines } from './address-lines.ts'
import { documentFooter } from './document-footer.ts'
import { documentFonts } from './document-fonts.ts'
import { documentStyles } from './document-styles.ts'
import { documentTable } from './document-table.ts'
import { documentLocale, type DocumentLocale } from './document-locale.ts'
import { escapeHtml, isolateDirection } from './markup.ts'
import { formatPicture, isWithinPictureLimits, parsePicture } from '../pictures/picture.ts'
import type { BuyerBlock, DocumentModel, SellerBlock } from './document-model.ts'

/**
 * Returns the document as one HTML page. It contains no script and loads only the fonts it names, from its own origin. External texts are
 * escaped and have isolated directions.
 */
export function documentHtml(document: DocumentModel): string {
  const localization = documentLocale(document)
  const { strings, locale, wanted } = localization
  const parts = [header, parties, documentTable, documentFooter].map((part) => part(document, localization))
  const styles = documentStyles(document, localization)
  const fonts = documentFonts(parts.join('') + styles.characters, wanted)
  const title = `<title>${escapeHtml(documentTitle(document, localization))}</title>`
  return `<!doctype html><html lang="${locale}" dir="${strings.direction}"><head><meta charset="utf-8">${title}
<style>${fonts}${styles.css}</style></head><body>${parts.join('\n')}</body></html>`
}

/** Returns the title shown by PDF readers: `Invoice NORTHWIND-0042`. */
export function documentTitle({ kind, number }: DocumentModel, { strings }: Pick<DocumentLocale, 'strings'>): string {
  return `${kind === 'invoice' ? strings.invoice : strings.creditNote} ${number}`
}

function header(document: DocumentModel, localization: DocumentLocale): string {
  const { strings } = localization
  const title = document.kind === 'invoice' ? strings.invoice : strings.creditNote
  return `<header><h1>${escapeHtml(title)}</h1>${brand(document.seller)}</header>${facts(document, localization)}${reference(document, localization)}`
}

function brand({ name, logo }: SellerBlock): string {
  const picture = logo && parsePicture(logo)
  // Snapshots of earlier releases may contain any logo. Any other URL would cause a request, and a large picture would block the page.
  if (!picture || !isWithinPictureLimits(picture)) return `<p class="brand">${isolateDirection(name)}</p>`
  return `<img class="brand" src="${formatPicture(picture.type, picture.bytes)}" alt="${escapeHtml(name)}">`
}

function facts({ kind, number, issuedAt, orderedAt, currency }: DocumentModel, { strings, date }: DocumentLocale): string {
  const [issued, ordered] = [date(issuedAt), date(orderedAt)]
  const entries: (readonly [string, string])[] = [
    [kind === 'invoice' ? strings.invoiceNumber : strings.creditNoteNumber, number],
    [strings.dateOfIssue, issued],
    ...(ordered === issued ? [] : [[strings.dateOfOrder, ordered] as const]),
    [strings.currency, currency.toUpperCase()],
  ]
  return `<dl>${entries.map(([name, value]) => `<div><dt>${escapeHtml(name)}</dt><dd>${escapeHtml(value)}</dd></div>`).join('')}</dl>`
}

function reference({ kind, refersTo }: DocumentModel, { strings, date }: DocumentLocale): string {
  if (!refersTo) return ''
  const sentence = kind === 'credit_note' ? strings.takesBack : refersTo.kind === 'credit_note' ? strings.reverses : strings.replaces
  return `<p class="reference">${escapeHtml(sentence({ number: refersTo.number, date: date(refersTo.issuedAt) }))}</p>`
}

function parties({ seller, buyer }: DocumentModel, localization: DocumentLocale): string {
  const { strings } = localization
  const left = party({ role: strings.seller, ...seller, email: null }, localization)
  return `<div class="parties">${left}${party({ role: strings.buyer, ...buyer }, localization)}</div>`
}

interface Party extends Pick<SellerBlock, 'name' | 'address' | 'taxId'> {
  role: string
  email: BuyerBlock['email'] | null
}

function party({ role, name, address, taxId, email }: Party, { strings, locale }: DocumentLocale): string {
  const lines = [...(address ? addressLines(address, locale) : []), ...(email ? [email] : [])].map(
    (line) => `<p>${isolateDirection(line)}</p>`,
  )
  const tax = taxId ? `<p><span>${escapeHtml(strings.taxId)}</span> ${isolateDirection(taxId)}</p>` : ''
  return `<section><h2>${escapeHtml(role)}</h2><p><strong>${isolateDirection(name)}</strong></p>${lines.join('')}${tax}</section>`
}
