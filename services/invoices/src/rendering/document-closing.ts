import type { DocumentVoice } from './document-voice.ts'
import { escapeHtml, ownText } from './escape-html.ts'
import type { PrintedDocument } from './printed-document.ts'
import { qrCode } from './qr-code.ts'

/** What stands below the sums: how tax was counted, how to check the document, and the seller's small print. */
export function documentClosing(document: PrintedDocument, voice: DocumentVoice): string {
  return `${notes(document, voice)}<footer>${check(document, voice)}${smallPrint(document)}</footer>`
}

function notes({ taxes, taxBehavior }: PrintedDocument, { words }: DocumentVoice): string {
  const sentences = [
    ...(taxes.some(({ reverse_charge: isReversed }) => isReversed) ? [words.reverseCharge] : []),
    ...(taxes.length > 0 ? [taxBehavior === 'inclusive' ? words.taxInclusive : words.taxExclusive] : []),
  ]
  if (sentences.length === 0) return ''
  return `<section class="notes">${sentences.map((sentence) => `<p>${escapeHtml(sentence)}</p>`).join('')}</section>`
}

function check({ verifyUrl }: PrintedDocument, { words }: DocumentVoice): string {
  const url = escapeHtml(verifyUrl)
  const code = qrCode(verifyUrl, words.qrCode)
  return `<section class="check">${code}<div><p>${escapeHtml(words.verify)}</p><p><a href="${url}" dir="ltr">${url}</a></p></div></section>`
}

function smallPrint({ seller: { footer } }: PrintedDocument): string {
  const lines = (footer ?? '').split(/\r\n|\r|\n/).map((line) => line.trim())
  if (lines.every((line) => line === '')) return ''
  return `<section class="small-print">${lines.map((line) => `<p>${ownText(line)}</p>`).join('')}</section>`
}
