import { cssString } from './markup.ts'
import type { DocumentLocale } from './document-locale.ts'
import type { DocumentModel } from './document-model.ts'

const easternFigures = '٠١٢٣٤٥٦٧٨٩'

/**
 * Returns the print styles and the characters they contain. Number and page count are in the margin boxes of every page, in the font of the
 * page.
 */
export function documentStyles(
  { number, paper }: DocumentModel,
  { strings, hasArabicFigures }: DocumentLocale,
): { css: string; characters: string } {
  const [before, between, after] = strings.pageCount
  const figures = hasArabicFigures ? ', arabic-indic' : ''
  const count = `${cssString(before)} counter(page${figures}) ${cssString(between)} counter(pages${figures}) ${cssString(after)}`
  const [start, end] = strings.direction === 'ltr' ? ['left', 'right'] : ['right', 'left']
  const page = `@page {
  size: ${paper};
  margin: 18mm 18mm 22mm;
  @bottom-${start} { content: ${cssString(number)}; ${marginBox} text-align: ${start}; direction: ltr }
  @bottom-${end} { content: ${count}; ${marginBox} text-align: ${end}; direction: ${strings.direction} }
}`
  return {
    css: page + (strings.direction === 'ltr' ? style + tightHeading : style),
    characters: strings.pageCount.join('') + (hasArabicFigures ? easternFigures : ''),
  }
}

const marginBox = 'font: 400 8pt/1 Document, sans-serif; color: #667080; vertical-align: top; padding-top: 7mm;'

/** Arabic characters are joined, so their spacing must not change. */
const tightHeading = 'h1 { letter-spacing: -0.03em }'

const style = `
* { box-sizing: border-box; margin: 0; padding: 0; font: inherit }
body { display: flex; flex-direction: column; min-height: 100vh; font: 400 9.25pt/1.5 Document, sans-serif; color: #12161f; overflow-wrap: anywhere; text-wrap: pretty }
h2, dt, thead th { font-size: 8pt; color: #667080 }
strong { font-weight: 700 }

header { display: flex; justify-content: space-between; align-items: center; gap: 12mm; min-height: 16mm }
h1 { font-weight: 700; font-size: 28pt; line-height: 1.1 }
.brand { flex: none; max-width: 70mm; text-align: end }
p.brand { font-weight: 700; font-size: 12pt; line-height: 1.3 }
img.brand { max-width: 56mm; max-height: 18mm; object-fit: contain }

dl { display: flex; margin-top: 9mm; border-block: 0.25mm solid #d9dde4 }
dl > div { flex: 1 1 auto; padding: 2.6mm 4mm 2.8mm; border-inline-start: 0.25mm solid #d9dde4 }
dl > div:first-child { padding-inline-start: 0; border: 0 }
dd { font-weight: 700 }
.reference { margin-top: 5mm }

.parties { display: grid; grid-template-columns: 1fr 1fr; gap: 12mm; margin: 9mm 0 11mm }
.parties h2 { margin-bottom: 0.8mm }
.parties span { color: #667080 }

table { width: 100%; table-layout: fixed; border-collapse: collapse }
col.quantity { width: 20mm }
col.money { width: 34mm }
th { text-align: start }
th + th, td { text-align: end; padding-inline-start: 3mm }
td { font-variant-numeric: tabular-nums; white-space: nowrap }
thead th { position: relative; padding-bottom: 2mm }
thead th::after { content: ''; position: absolute; inset: auto 0 0; height: 0.35mm; background: #12161f }
tr, .notes { break-inside: avoid }
.notes { break-before: avoid }
.line { border-bottom: 0.2mm solid #d9dde4 }
.line > * { padding-block: 1.8mm; vertical-align: top }
.dense .line > * { padding-block: 0.9mm }
.line p { font-size: 8pt; color: #667080 }
.line:has(+ .sum) { break-after: avoid; border-bottom: 0.35mm solid #12161f }

.sum { break-before: avoid }
.sum > * { padding-block: 0.9mm }
.sum > th { text-align: start; color: #667080 }
.subtotal > * { padding-top: 3.4mm }
.total > * { padding-top: 2mm; font-size: 13pt; line-height: 1.4 }
.total > th, .total > td + th + td { font-weight: 700; color: inherit }
.paid > * { color: #667080 }

footer { margin-top: auto; padding-top: 8mm; font-size: 8pt; color: #667080 }
footer section { break-inside: avoid }
footer section + section { margin-top: 5mm }
.notes { margin-top: 8mm; font-size: 8pt }
.check { display: flex; align-items: center; gap: 4mm }
.check p:first-child { color: #12161f }
.qr { flex: none; width: 19mm; height: 19mm; fill: #12161f }
a { color: inherit; text-decoration: none }
.small-print { padding-top: 3mm; border-top: 0.25mm solid #d9dde4 }
.small-print p:empty, .small-print p:has(bdi:empty) { min-height: 1lh }
`
