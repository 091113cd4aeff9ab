import { cssString } from './css-string.ts'
import type { InvoiceWords } from './invoice-words.ts'

/** Print style of an invoice. The number and the page count stand in the margin boxes of every page, set in the page's own font. */
export function invoiceStyles(number: string, { pageCount: [before, between, after] }: InvoiceWords): string {
  const count = `${cssString(before)} counter(page) ${cssString(between)} counter(pages) ${cssString(after)}`
  return `
@page {
  size: A4;
  margin: 20mm 20mm 26mm;
  @bottom-left { content: ${cssString(number)}; ${marginBox} }
  @bottom-right { content: ${count}; ${marginBox} text-align: right }
}
* { box-sizing: border-box; margin: 0; padding: 0; font: inherit }
body { font: 400 9.5pt/1.5 Inter, sans-serif; color: #14181f; overflow-wrap: anywhere; text-wrap: pretty }
h1 { font-weight: 700; font-size: 26pt; line-height: 1; letter-spacing: -0.025em }
h2, dt, thead th { font-weight: 400; font-size: 8.5pt; color: #626a76 }
strong, .total > * { font-weight: 700 }

header { display: flex; justify-content: space-between; align-items: flex-start; gap: 12mm }
dl { display: grid; grid-template-columns: auto auto; column-gap: 6mm; row-gap: 0.6mm; align-items: baseline; white-space: nowrap }
dd { text-align: right }

.parties { display: grid; grid-template-columns: 1fr 1fr; gap: 12mm; margin: 14mm 0 13mm }
.parties h2 { margin-bottom: 1.2mm }

table { width: 100%; border-collapse: separate; border-spacing: 0 }
col.quantity { width: 18mm }
col.money { width: 33mm }
th { text-align: left }
th + th, td { text-align: right; padding-left: 3mm }
td { font-variant-numeric: tabular-nums; white-space: nowrap }
thead th { padding-bottom: 2mm; border-bottom: 0.3mm solid #14181f }
tr { break-inside: avoid }
.item > * { padding-block: 2.3mm; border-bottom: 0.2mm solid #dfe2e7; vertical-align: top }
.item:has(+ .sum) { break-after: avoid }
.item:has(+ .sum) > * { border-bottom: 0.3mm solid #14181f }

/* The sums stay together, with the last line above them: rows keep to this only within one tbody. */
.sum { break-before: avoid }
.sum > * { padding-block: 1mm }
.sum > th { text-align: right }
.subtotal > * { padding-top: 3.6mm }
.total > * { padding-block: 2.2mm 2.4mm; font-size: 12pt }
.paid > * { color: #626a76 }
`
}

const marginBox = 'font: 400 8pt/1 Inter, sans-serif; color: #626a76; vertical-align: top; padding-top: 8mm;'
