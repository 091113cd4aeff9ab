import { withoutDirectionControls } from '@quittance/contracts/printed-text'
import { cssString } from './markup.ts'
import type { DocumentLocale } from './document-locale.ts'
import type { DocumentModel } from './document-model.ts'

const easternFigures = '٠١٢٣٤٥٦٧٨٩'

/**
 * Returns the print styles and the characters they contain. Number and page count are in the margin boxes of every page, seller and title
 * in those of every page after the first, in the font of the page.
 */
export function documentStyles(
  { kind, number, paper, seller }: DocumentModel,
  { strings, hasArabicFigures }: DocumentLocale,
): { css: string; characters: string } {
  const [before, between, after] = strings.pageCount
  const figures = hasArabicFigures ? ', arabic-indic' : ''
  const count = `${cssString(before)} counter(page${figures}) ${cssString(between)} counter(pages${figures}) ${cssString(after)}`
  const [start, end] = strings.direction === 'ltr' ? ['left', 'right'] : ['right', 'left']
  const title = `${kind === 'invoice' ? strings.invoice : strings.creditNote} ${number}`
  const name = withoutDirectionControls(seller.name)
  const page = `@page {
  size: ${paper};
  margin: 20mm 18mm 22mm;
  @top-${start} { content: ${cssString(name)}; ${continued} text-align: ${start} }
  @top-${end} { content: ${cssString(title)}; ${continued} text-align: ${end}; direction: ${strings.direction} }
  @bottom-${start} { content: ${cssString(number)}; ${marginBox} text-align: ${start}; direction: ltr }
  @bottom-${end} { content: ${count}; ${marginBox} text-align: ${end}; direction: ${strings.direction} }
}
@page:first { @top-${start} { content: none } @top-${end} { content: none } }`
  return {
    css: page + (strings.direction === 'ltr' ? style + tightHeading : style),
    characters: strings.pageCount.join('') + name + title + (hasArabicFigures ? easternFigures : ''),
  }
}

/** Header of the pages after the first. */
const continued = 'font: 400 8pt/1 Document, sans-serif; color: #667080; vertical-align: bottom; padding-bottom: 6mm;'

const marginBox = 'font: 400 8pt/1 Document, sans-serif; color: #667080; vertical-align: top; padding-top: 7mm;'

/** Arabic characters are joined, so their spacing must not change. */
const tightHeading = 'h1 { letter-spacing: -0.03em }'

/** One grid: halves, in which buyer and sums begin at the middle, and quarters for the facts. */
const style = `
* { box-sizing: border-box; margin: 0; padding: 0; font: inherit }
body { display: flex; flex-direction: column; min-height: 100vh; font: 400 9.25pt/1.5 Document, sans-serif; color: #12161f; overflow-wrap: anywhere; text-wrap: pretty }
h2, dt, thead th { font-size: 8pt; color: #667080 }

header { display: flex; justify-content: space-between; align-items: flex-start; gap: 12mm; min-height: 16mm }
h1 { font-weight: 700; font-size: 26pt; line-height: 1.1 }
.status { margin-top: 2.5mm; color: #667080 }
.figure { margin-inline-end: 1.5mm; font-weight: 700; font-size: 13pt; color: #12161f; font-variant-numeric: tabular-nums }
.brand { flex: none; max-width: 70mm; text-align: end }
p.brand { padding-top: 2mm; font-weight: 700; font-size: 12pt; line-height: 1.3 }
img.brand { max-width: 56mm; max-height: 18mm; object-fit: contain }

dl { display: grid; grid-template-columns: repeat(4, 1fr); row-gap: 2.4mm; margin-top: 8mm; padding-block: 2.8mm 3mm; border-block: 0.25mm solid #d9dde4 }
dl > div { padding-inline-end: 3mm }
.reference { margin-top: 5mm }

.parties { display: grid; grid-template-columns: 1fr 1fr; margin: 8mm 0 10mm }
.parties > section { padding-inline-end: 6mm }
.parties h2 { margin-bottom: 0.8mm }
.parties span { color: #667080 }
.name, dd { font-weight: 700 }

table { width: 100%; table-layout: fixed; border-collapse: collapse }
col.half { width: 50% }
col.narrow { width: 8% }
col.money { width: 17% }
th { text-align: start }
th + th, td { text-align: end; padding-inline-start: 2mm }
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
.sum > * { padding-block: 0.9mm; vertical-align: top }
.sum > th { text-align: start; padding-inline-start: 50%; color: #667080 }
.line + .sum > * { padding-top: 3.4mm }
.sum.total > *, .sum.due > * { font-weight: 700; color: #12161f }
.total > * { padding-top: 2mm }
.paid > * { color: #667080 }
.due > * { padding-top: 1.4mm }

.transfer { break-inside: avoid; margin-top: 7mm; padding-top: 2.8mm; border-top: 0.25mm solid #d9dde4 }
.transfer > div { display: flex; align-items: flex-start; gap: 6mm; margin-top: 2.4mm }
.transfer > div > div { flex: 1 }
.transfer dl { grid-template-columns: repeat(3, auto); margin: 0; padding: 0; border: 0 }
.transfer p { margin-top: 2.4mm; font-size: 8pt; color: #667080 }
.transfer .qr { width: 26mm; height: 26mm }

footer { margin-top: auto; padding-top: 8mm; font-size: 8pt; color: #667080 }
footer section { break-inside: avoid }
footer section + section { margin-top: 4mm }
.notes { margin-top: 8mm; font-size: 8pt }
.check { display: flex; align-items: center; gap: 3mm; font-size: 7pt }
.qr { flex: none; width: 14mm; height: 14mm; fill: #12161f }
a { color: inherit; text-decoration: none }
.small-print { padding-top: 3mm; border-top: 0.25mm solid #d9dde4 }
.small-print p:empty, .small-print p:has(bdi:empty) { min-height: 1lh }
`
