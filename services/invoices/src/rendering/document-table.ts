import type { AppliedTax } from '@quittance/contracts/taxes'
import type { DocumentLocale } from './document-locale.ts'
import { escapeHtml, isolateDirection } from './markup.ts'
import type { DocumentModel, DocumentLine } from './document-model.ts'

/** Documents with more lines use a denser layout. */
const manyLines = 25

/** Returns the lines and, in the same table, the sums: rows stay together across a page break only within one `tbody`. */
export function documentTable(document: DocumentModel, localization: DocumentLocale): string {
  const { strings } = localization
  const headings = [strings.description, strings.quantity, strings.unitPrice, strings.amount]
  const head = headings.map((name) => `<th scope="col">${escapeHtml(name)}</th>`).join('')
  const rows = [...document.lines.map((line) => lineRow(line, document, localization)), ...sums(document, localization).map(sumRow)]
  const density = document.lines.length > manyLines ? ' class="dense"' : ''
  return `<table${density}><colgroup><col><col class="quantity"><col class="money"><col class="money"></colgroup>
<thead><tr>${head}</tr></thead><tbody>${rows.join('\n')}</tbody></table>`
}

function lineRow(line: DocumentLine, { servicePeriod }: DocumentModel, { strings, money, period, figure }: DocumentLocale): string {
  const note = line.proration ? strings.proration : servicePeriod && strings.servicePeriod(period(servicePeriod))
  const below = note ? `<p>${escapeHtml(note)}</p>` : ''
  const amount = escapeHtml(money(line.amount))
  return `<tr class="line"><th scope="row">${isolateDirection(line.label)}${below}</th><td>${figure(1)}</td><td>${amount}</td><td>${amount}</td></tr>`
}

interface Sum {
  kind: string
  label: string
  amount: string
}

function sums(document: DocumentModel, { strings, money, date, percent }: DocumentLocale): Sum[] {
  const { kind, subtotal, discount, net, tax, total, paidAt } = document
  const sum = (name: string, label: string, amount: number): Sum => ({ kind: name, label, amount: money(amount) })
  const taxLabel = ({ name, percentage, reverse_charge: isReversed, taxable_amount: base }: AppliedTax) =>
    strings.taxOn({ tax: `${name} ${percent(isReversed ? 0 : percentage)}`, base: money(base) })
  const taxes = document.taxes.map((applied) => sum('tax', taxLabel(applied), applied.amount))
  return [
    sum('subtotal', strings.subtotal, subtotal),
    ...(discount === 0 ? [] : [sum('discount', strings.discount, -discount)]),
    ...(net === subtotal && taxes.length === 0 ? [] : [sum('net', strings.net, net)]),
    ...(taxes.length === 0 && tax !== 0 ? [sum('tax', strings.tax, tax)] : taxes),
    sum('total', kind === 'invoice' ? strings.total : strings.totalCredited, total),
    ...(paidAt ? [sum('paid', strings.paidOn(date(paidAt)), total)] : []),
  ]
}

function sumRow({ kind, label, amount }: Sum): string {
  return `<tr class="sum ${kind}"><td></td><th scope="row" colspan="2">${escapeHtml(label)}</th><td>${escapeHtml(amount)}</td></tr>`
}
