import type { DocumentLocale } from './document-locale.ts'
import { escapeHtml, isolateDirection } from './markup.ts'
import type { DocumentModel } from './document-model.ts'
import { qrCode } from './qr-code.ts'

/** Returns the part below the sums: tax notes, how to verify the document, and the small print of the seller. */
export function documentFooter(document: DocumentModel, localization: DocumentLocale): string {
  return `${notes(document, localization)}<footer>${verification(document, localization)}${smallPrint(document)}</footer>`
}

function notes({ taxes, tax, taxBehavior, seller }: DocumentModel, { strings }: DocumentLocale): string {
  const sentences = [
    ...(taxes.some(({ reverse_charge: isReversed }) => isReversed) ? [strings.reverseCharge] : []),
    // Lines of a sale without tax show the full prices.
    ...(taxes.length > 0 && tax !== 0 && taxBehavior === 'inclusive' ? [strings.taxInclusive] : []),
    ...(taxes.length === 0 && seller.taxExemption ? [seller.taxExemption] : []),
  ]
  if (sentences.length === 0) return ''
  return `<section class="notes">${sentences.map((sentence) => `<p>${isolateDirection(sentence)}</p>`).join('')}</section>`
}

function verification({ verifyUrl }: DocumentModel, { strings }: DocumentLocale): string {
  const url = escapeHtml(verifyUrl)
  const code = qrCode(verifyUrl, strings.qrCode)
  return `<section class="check">${code}<div><p>${escapeHtml(strings.verify)}</p><p><a href="${url}" title="${escapeHtml(strings.verify)}" dir="ltr">${escapeHtml(verifyUrl.replace(/^https?:\/\//, ''))}</a></p></div></section>`
}

function smallPrint({ seller: { footer } }: DocumentModel): string {
  const lines = (footer ?? '').split(/\r\n|\r|\n/).map((line) => line.trim())
  if (lines.every((line) => line === '')) return ''
  return `<section class="small-print">${lines.map((line) => `<p>${isolateDirection(line)}</p>`).join('')}</section>`
}
