import type { AppliedTax } from '@quittance/contracts/taxes'
import type { PrintedDocument, PrintedLine } from '../rendering/printed-document.ts'
import { isInEuropeanUnion } from './country-code.ts'
import { linesByRate, sum } from './lines-by-rate.ts'

/**
 * UNCL 5305 as EN 16931 uses it. S taxed, Z taxed at nought, AE the buyer owes the tax, G leaves the European Union untaxed,
 * O no tax falls on the whole sale, E untaxed beside lines that are taxed, since O may not stand beside any other.
 */
export interface VatCategory {
  id: 'S' | 'Z' | 'AE' | 'E' | 'G' | 'O'
  /** Null for O alone: what is outside the tax has no rate. */
  percent: string | null
  /** Why there is no tax; EN 16931 wants it for all but S and Z. */
  exemption: { code: string | null; reason: string } | null
}

export interface VatGroup {
  category: VatCategory
  lines: PrintedLine[]
  discount: number
  taxable: number
  tax: number
}

/** One for each category and rate, as EN 16931 breaks VAT down. Null where lines do not tell their rate. */
export function vatGroups(document: PrintedDocument): VatGroup[] | null {
  const rated = linesByRate(document)
  if (!rated) return null
  const groups = new Map<string, VatGroup>()
  for (const { tax, taxable, amount, lines } of rated) {
    const category = categoryOf(tax, document)
    const key = `${category.id} ${category.percent}`
    const group = groups.get(key) ?? { category, lines: [], discount: 0, taxable: 0, tax: 0 }
    group.lines.push(...lines)
    group.discount += sum(lines.map((line) => line.discount))
    group.taxable += taxable
    group.tax += amount
    groups.set(key, group)
  }
  return [...groups.values()]
}

function categoryOf(tax: AppliedTax | null, { taxes, seller, buyer }: PrintedDocument): VatCategory {
  const european = seller.address !== null && isInEuropeanUnion(seller.address.country)
  const untaxed = (id: 'AE' | 'G' | 'O', reason: string): VatCategory => ({
    ...{ id, percent: id === 'O' ? null : '0' },
    exemption: { code: european ? `VATEX-EU-${id}` : null, reason },
  })
  if (!tax && taxes.length === 0) return untaxed('O', 'Not subject to VAT')
  if (!tax) return { id: 'E', percent: '0', exemption: { code: null, reason: 'Exempt: no tax falls on this part of the sale' } }
  if (tax.reverse_charge) return untaxed('AE', 'Reverse charge')
  if (tax.percentage > 0) return { id: 'S', percent: percentText(tax.percentage), exemption: null }
  if (european && !isInEuropeanUnion(buyer.address.country)) return untaxed('G', 'Export outside the European Union')
  return { id: 'Z', percent: '0', exemption: null }
}

/** Rates have four digits after the point at most; a float of that size prints as it was written. */
function percentText(percentage: number): string {
  return String(Math.round(percentage * 10_000) / 10_000)
}
