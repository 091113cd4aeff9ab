import type { AppliedTax } from '@quittance/contracts/taxes'
import type { DocumentVoice } from './document-voice.ts'
import { escapeHtml, ownText } from './escape-html.ts'
import type { PrintedDocument, PrintedLine } from './printed-document.ts'

/** More than these are set closer, so that a list reads as one. */
const manyLines = 25

/** The lines and, in the same table, the sums below them: rows stay together over a page end only within one `tbody`. */
export function documentTable(document: PrintedDocument, voice: DocumentVoice): string {
  const { words } = voice
  const headings = [words.description, words.quantity, words.unitPrice, words.amount]
  const head = headings.map((name) => `<th scope="col">${escapeHtml(name)}</th>`).join('')
  const rows = [...document.lines.map((line) => lineRow(line, document, voice)), ...sums(document, voice).map(sumRow)]
  const density = document.lines.length > manyLines ? ' class="dense"' : ''
  return `<table${density}><colgroup><col><col class="quantity"><col class="money"><col class="money"></colgroup>
<thead><tr>${head}</tr></thead><tbody>${rows.join('\n')}</tbody></table>`
}

function lineRow(line: PrintedLine, { servicePeriod }: PrintedDocument, { words, money, period, figure }: DocumentVoice): string {
  const note = line.proration ? words.proration : servicePeriod && words.servicePeriod(period(servicePeriod))
  const below = note ? `<p>${escapeHtml(note)}</p>` : ''
  const amount = escapeHtml(money(line.amount))
  return `<tr class="line"><th scope="row">${ownText(line.label)}${below}</th><td>${figure(1)}</td><td>${amount}</td><td>${amount}</td></tr>`
}

interface Sum {
  kind: string
  label: string
  amount: string
}

function sums(document: PrintedDocument, { words, money, date, percent }: DocumentVoice): Sum[] {
  const { kind, subtotal, discount, net, tax, total, paidAt } = document
  const sum = (name: string, label: string, amount: number): Sum => ({ kind: name, label, amount: money(amount) })
  const taxLabel = ({ name, percentage, reverse_charge: isReversed, taxable_amount: base }: AppliedTax) =>
    words.taxOn({ tax: `${name} ${percent(isReversed ? 0 : percentage)}`, base: money(base) })
  const taxes = document.taxes.map((applied) => sum('tax', taxLabel(applied), applied.amount))
  return [
    sum('subtotal', words.subtotal, subtotal),
    ...(discount === 0 ? [] : [sum('discount', words.discount, -discount)]),
    ...(net === subtotal && taxes.length === 0 ? [] : [sum('net', words.net, net)]),
    ...(taxes.length === 0 && tax !== 0 ? [sum('tax', words.tax, tax)] : taxes),
    sum('total', kind === 'invoice' ? words.total : words.totalCredited, total),
    ...(paidAt ? [sum('paid', words.paidOn(date(paidAt)), total)] : []),
  ]
}

function sumRow({ kind, label, amount }: Sum): string {
  return `<tr class="sum ${kind}"><td></td><th scope="row" colspan="2">${escapeHtml(label)}</th><td>${escapeHtml(amount)}</td></tr>`
}
