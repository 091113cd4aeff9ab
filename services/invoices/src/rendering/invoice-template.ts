import type { InvoiceSource } from '@quittance/contracts/orders'
import { addressLines } from './address-lines.ts'
import { embeddedFonts } from './embedded-fonts.ts'
import { escapeHtml } from './escape-html.ts'
import { formatMoney } from './format-money.ts'
import { invoiceStyles } from './invoice-styles.ts'
import { english, type InvoiceWords } from './invoice-words.ts'

/** All that is printed. Amounts are the order's own: an invoice computes nothing. */
export interface PrintedInvoice {
  number: string
  issuedAt: Date
  source: InvoiceSource
}

/** The document as one HTML page that needs no script, file or network. Texts of the order are escaped, each in its own direction. */
export function invoiceHtml(invoice: PrintedInvoice, words: InvoiceWords = english): string {
  const body = `<body>${[header(invoice, words), parties(invoice, words), table(invoice, words)].join('')}</body>`
  const title = `<title>${escapeHtml(`${words.invoice} ${invoice.number}`)}</title>`
  const style = `<style>${embeddedFonts(body + invoice.number)}${invoiceStyles(invoice.number, words)}</style>`
  return `<!doctype html><html lang="${words.language}"><head><meta charset="utf-8">${title}${style}</head>${body}</html>`
}

function header({ number, issuedAt, source }: PrintedInvoice, words: InvoiceWords): string {
  const issued = dateText(issuedAt, words)
  const ordered = dateText(new Date(source.order_created_at), words)
  const facts: (readonly [string, string])[] = [
    [words.invoiceNumber, number],
    [words.dateOfIssue, issued],
    ...(ordered === issued ? [] : [[words.dateOfOrder, ordered] as const]),
    [words.currency, source.currency.toUpperCase()],
  ]
  const list = facts.map(([name, value]) => `<dt>${escapeHtml(name)}</dt><dd>${escapeHtml(value)}</dd>`).join('')
  return `<header><h1>${escapeHtml(words.invoice)}</h1><dl>${list}</dl></header>`
}

function parties({ source }: PrintedInvoice, words: InvoiceWords): string {
  const address = addressLines(source.billing_address, words.language)
  const buyer = [...address, ...(source.tax_id ? [`${words.taxId}: ${source.tax_id}`] : [])]
  return `<div class="parties">
${party(words.seller, { name: source.organization.name, lines: [] })}
${party(words.buyer, { name: source.billing_name, lines: buyer })}
</div>`
}

function party(role: string, { name, lines }: { name: string; lines: readonly string[] }): string {
  const below = lines.map((line) => `<p>${ownText(line)}</p>`).join('')
  return `<section><h2>${escapeHtml(role)}</h2><p><strong>${ownText(name)}</strong></p>${below}</section>`
}

function table({ source }: PrintedInvoice, words: InvoiceWords): string {
  const headings = [words.description, words.quantity, words.unitPrice, words.amount]
  const money = (amount: number) => escapeHtml(formatMoney({ amount, currency: source.currency }, words.locale))
  const head = headings.map((name) => `<th scope="col">${escapeHtml(name)}</th>`)
  const rows = [
    ...source.items.map((item) => itemRow(item.label, money(item.amount))),
    ...sums(source, words).map((sum) => sumRow(sum, money)),
  ]
  return `<table><colgroup><col><col class="quantity"><col class="money"><col class="money"></colgroup>
<thead><tr>${head.join('')}</tr></thead><tbody>${rows.join('')}</tbody></table>`
}

function itemRow(label: string, amount: string): string {
  return `<tr class="item"><th scope="row">${ownText(label)}</th><td>1</td><td>${amount}</td><td>${amount}</td></tr>`
}

interface Sum {
  kind: string
  label: string
  amount: number
}

function sums(source: InvoiceSource, words: InvoiceWords): Sum[] {
  const { discount_amount: discount, tax_amount: tax, total_amount: total } = source
  return [
    { kind: 'subtotal', label: words.subtotal, amount: source.subtotal_amount },
    ...(discount > 0 ? [{ kind: 'discount', label: words.discount, amount: -discount }] : []),
    ...(tax > 0 ? [{ kind: 'tax', label: words.tax, amount: tax }] : []),
    { kind: 'total', label: words.total, amount: total },
    { kind: 'paid', label: words.paidOn(dateText(new Date(source.paid_at), words)), amount: total },
  ]
}

function sumRow({ kind, label, amount }: Sum, money: (amount: number) => string): string {
  return `<tr class="sum ${kind}"><th scope="row" colspan="3">${escapeHtml(label)}</th><td>${money(amount)}</td></tr>`
}

/** A text somebody typed: its writing direction is its own and ends with it. */
function ownText(text: string): string {
  return `<bdi>${escapeHtml(text)}</bdi>`
}

function dateText(date: Date, { locale }: InvoiceWords): string {
  return new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' }).format(date)
}
