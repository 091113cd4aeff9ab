import { addressLines } from './address-lines.ts'
import { documentClosing } from './document-closing.ts'
import { documentFonts } from './document-fonts.ts'
import { documentStyles } from './document-styles.ts'
import { documentTable } from './document-table.ts'
import { documentVoice, type DocumentVoice } from './document-voice.ts'
import { escapeHtml, ownText } from './escape-html.ts'
import type { BuyerBlock, PrintedDocument, SellerBlock } from './printed-document.ts'

/**
 * The document as one HTML page that needs no script and nothing from elsewhere but the fonts it names, by paths of its own origin.
 * Texts of others are escaped, each in its own direction.
 */
export function documentHtml(document: PrintedDocument): string {
  const voice = documentVoice(document)
  const { words, locale, wanted } = voice
  const parts = [header, parties, documentTable, documentClosing].map((part) => part(document, voice))
  const styles = documentStyles(document, voice)
  const fonts = documentFonts(parts.join('') + styles.letters, wanted)
  const title = `<title>${escapeHtml(documentTitle(document, voice))}</title>`
  return `<!doctype html><html lang="${locale}" dir="${words.direction}"><head><meta charset="utf-8">${title}
<style>${fonts}${styles.css}</style></head><body>${parts.join('\n')}</body></html>`
}

/** As it stands in the window bar of a reader: `Invoice NORTHWIND-0042`. */
export function documentTitle({ kind, number }: PrintedDocument, { words }: Pick<DocumentVoice, 'words'>): string {
  return `${kind === 'invoice' ? words.invoice : words.creditNote} ${number}`
}

function header(document: PrintedDocument, voice: DocumentVoice): string {
  const { words } = voice
  const title = document.kind === 'invoice' ? words.invoice : words.creditNote
  return `<header><h1>${escapeHtml(title)}</h1>${brand(document.seller)}</header>${facts(document, voice)}${reference(document, voice)}`
}

function brand({ name, logo }: SellerBlock): string {
  // An address of anything else would be a request, if only a refused one.
  if (!logo || !/^data:image\/(?:png|jpeg);base64,[A-Za-z0-9+/=]+$/.test(logo)) return `<p class="brand">${ownText(name)}</p>`
  return `<img class="brand" src="${logo}" alt="${escapeHtml(name)}">`
}

function facts({ kind, number, issuedAt, orderedAt, currency }: PrintedDocument, { words, date }: DocumentVoice): string {
  const [issued, ordered] = [date(issuedAt), date(orderedAt)]
  const entries: (readonly [string, string])[] = [
    [kind === 'invoice' ? words.invoiceNumber : words.creditNoteNumber, number],
    [words.dateOfIssue, issued],
    ...(ordered === issued ? [] : [[words.dateOfOrder, ordered] as const]),
    [words.currency, currency.toUpperCase()],
  ]
  return `<dl>${entries.map(([name, value]) => `<div><dt>${escapeHtml(name)}</dt><dd>${escapeHtml(value)}</dd></div>`).join('')}</dl>`
}

function reference({ kind, refersTo }: PrintedDocument, { words, date }: DocumentVoice): string {
  if (!refersTo) return ''
  const sentence = kind === 'invoice' ? words.replaces : words.takesBack
  return `<p class="reference">${escapeHtml(sentence({ number: refersTo.number, date: date(refersTo.issuedAt) }))}</p>`
}

function parties({ seller, buyer }: PrintedDocument, voice: DocumentVoice): string {
  const { words } = voice
  const left = party({ role: words.seller, ...seller, email: null }, voice)
  return `<div class="parties">${left}${party({ role: words.buyer, ...buyer }, voice)}</div>`
}

interface Party extends Pick<SellerBlock, 'name' | 'address' | 'taxId'> {
  role: string
  email: BuyerBlock['email'] | null
}

function party({ role, name, address, taxId, email }: Party, { words, locale }: DocumentVoice): string {
  const lines = [...(address ? addressLines(address, locale) : []), ...(email ? [email] : [])].map((line) => `<p>${ownText(line)}</p>`)
  const tax = taxId ? `<p><span>${escapeHtml(words.taxId)}</span> ${ownText(taxId)}</p>` : ''
  return `<section><h2>${escapeHtml(role)}</h2><p><strong>${ownText(name)}</strong></p>${lines.join('')}${tax}</section>`
}
