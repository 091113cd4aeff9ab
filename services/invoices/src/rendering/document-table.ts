import { parseAdjustmentLabel, parseProrationLabel } from '@quittance/contracts/proration-label'
import type { AppliedTax } from '@quittance/contracts/taxes'
import { saleLocale, type DocumentLocale } from './document-locale.ts'
import { escapeHtml, isolateDirection } from './markup.ts'
import type { DocumentModel, DocumentLine } from './document-model.ts'
import { paymentMethod } from './payment-method.ts'

/** Documents with more lines use a denser layout. */
const manyLines = 25

/** Returns the lines and, in the same table, the sums: rows stay together across a page break only within one `tbody`. */
export function documentTable(document: DocumentModel, localization: DocumentLocale): string {
  const { strings } = localization
  const hasTax = hasTaxColumn(document)
  const headings = [strings.quantity, strings.unitPrice, ...(hasTax ? [strings.tax] : []), strings.amount]
  const head = `${heading(strings.description, hasTax)}${headings.map((name) => `<th scope="col">${escapeHtml(name)}</th>`).join('')}`
  const rows = [
    ...document.lines.map((line) => lineRow(line, { document, localization, hasTax })),
    ...sums(document, localization).map(sumRow),
  ]
  const density = document.lines.length > manyLines ? ' class="dense"' : ''
  return `<table${density}><colgroup><col class="half"><col class="narrow"><col class="${hasTax ? 'money' : 'narrow'}"><col class="${hasTax ? 'narrow' : 'money'}"><col class="money"></colgroup>
<thead><tr>${head}</tr></thead><tbody>${rows.join('\n')}</tbody></table>`
}

/** Whether lines have different rates. Then each names its own, if all are known. */
function hasTaxColumn({ lines }: DocumentModel): boolean {
  return lines.every(({ taxPosition }) => taxPosition !== undefined) && new Set(lines.map(({ taxPosition }) => taxPosition)).size > 1
}

function heading(name: string, hasTax: boolean): string {
  return `<th scope="col"${hasTax ? '' : ' colspan="2"'}>${escapeHtml(name)}</th>`
}

interface Row {
  document: DocumentModel
  localization: DocumentLocale
  hasTax: boolean
}

function lineRow(line: DocumentLine, { document, localization, hasTax }: Row): string {
  const { strings, money, period, figure, percent } = localization
  const { servicePeriod, taxes } = document
  const { quantity = 1, taxPosition = 0 } = line
  const note = line.proration ? strings.proration : servicePeriod && strings.servicePeriod(period(servicePeriod))
  const below = note ? `<p>${escapeHtml(note)}</p>` : ''
  const rate = taxes[taxPosition - 1]
  const cells = [
    figure(quantity),
    money(line.amount / quantity),
    ...(hasTax ? [percent(!rate || rate.reverse_charge ? 0 : rate.percentage)] : []),
    money(line.amount),
  ]
  const name = `<th scope="row"${hasTax ? '' : ' colspan="2"'}>${isolateDirection(describeLine(line, strings))}${below}</th>`
  return `<tr class="line">${name}${cells.map((cell) => `<td>${escapeHtml(cell)}</td>`).join('')}</tr>`
}

/** Names a line in the language of the document; the labels of prorated ones are written in English. */
function describeLine({ label, proration }: DocumentLine, strings: DocumentLocale['strings']): string {
  if (!proration) return label
  const part = parseProrationLabel(label)
  if (part) return strings[part.kind](part.product)
  const adjustment = parseAdjustmentLabel(label)
  return adjustment ? strings.adjustments[adjustment] : label
}

interface Sum {
  kind: string
  label: string
  amount: string
}

/** Returns the sums that add something: without discount, subtotal and net amount are one row, and without tax both are the total. */
function sums(document: DocumentModel, localization: DocumentLocale): Sum[] {
  const { strings, money, percent } = localization
  const { subtotal, discount, net, tax, total } = document
  const sum = (name: string, label: string, amount: number): Sum => ({ kind: name, label, amount: money(amount) })
  const taxLabel = ({ name, percentage, reverse_charge: isReversed, taxable_amount: base }: AppliedTax) =>
    strings.taxOn({ tax: `${name} ${percent(isReversed ? 0 : percentage)}`, base: money(base) })
  const taxes = document.taxes.map((applied) => sum('tax', taxLabel(applied), applied.amount))
  const isTaxed = taxes.length > 0 || tax !== 0
  return [
    ...(discount === 0 && !isTaxed ? [] : [sum('subtotal', strings.subtotal, subtotal)]),
    ...(discount === 0 ? [] : [sum('discount', strings.discount, -discount)]),
    ...(discount === 0 || !isTaxed ? [] : [sum('net', strings.net, net)]),
    ...(taxes.length === 0 && tax !== 0 ? [sum('tax', strings.tax, tax)] : taxes),
    sum('total', totalLabel(document, strings), total),
    ...paidSums(document, localization),
  ]
}

function totalLabel({ kind, transfer }: DocumentModel, strings: DocumentLocale['strings']): string {
  if (kind === 'credit_note') return strings.totalCredited
  return transfer ? strings.amountDue : strings.total
}

/** What was paid, with the method, and what is due. */
function paidSums(document: DocumentModel, { strings, money }: DocumentLocale): Sum[] {
  const { paidAt, payment, total } = document
  if (!paidAt) return []
  const method = paymentMethod(payment)
  const label = strings.paidOn(saleLocale(document).date(paidAt)) + (method ? ` (${method})` : '')
  return [
    { kind: 'paid', label, amount: money(total === 0 ? 0 : -total) },
    { kind: 'due', label: strings.amountDue, amount: money(0) },
  ]
}

/** The labels begin at the middle, where the buyer does. An empty cell would have no tag, and the row too few cells (ISO 14289-1, 7.2). */
function sumRow({ kind, label, amount }: Sum): string {
  return `<tr class="sum ${kind}"><th scope="row" colspan="4">${escapeHtml(label)}</th><td>${escapeHtml(amount)}</td></tr>`
}
