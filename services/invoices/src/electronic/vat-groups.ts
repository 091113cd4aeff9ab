import { isInEuropeanUnion } from '@quittance/contracts/countries'
import type { AppliedTax } from '@quittance/contracts/taxes'
import type { DocumentModel, DocumentLine } from '../rendering/document-model.ts'
import { linesByRate, sum } from './lines-by-rate.ts'

/**
 * VAT category of UNCL 5305 as used by EN 16931. S: standard rate. Z: zero rate. AE: reverse charge, the buyer owes the tax. G: export from
 * the European Union, untaxed. O: the whole sale is outside VAT. E: the seller is exempt, such as a small business; also untaxed lines in a
 * sale with taxed ones, because O excludes all other categories.
 */
export interface VatCategory {
  id: 'S' | 'Z' | 'AE' | 'E' | 'G' | 'O'
  /** Null only for O: a sale outside VAT has no rate. */
  percent: string | null
  /** Exemption reason. EN 16931 requires it for all categories except S and Z. */
  exemption: { code: string | null; reason: string } | null
}

export interface VatGroup {
  category: VatCategory
  lines: DocumentLine[]
  discount: number
  taxable: number
  tax: number
}

/** Groups lines by category and rate, as in the VAT breakdown of EN 16931. Returns null if the rates of the lines are ambiguous. */
export function vatGroups(document: DocumentModel): VatGroup[] | null {
  const rated = linesByRate(document)
  if (!rated) return null
  const groups = new Map<string, VatGroup>()
  for (const { tax, taxable, amount, lines } of rated) {
    const category = selectCategory(tax, document)
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

function selectCategory(tax: AppliedTax | null, { taxes, seller, buyer }: DocumentModel): VatCategory {
  const isEuropean = seller.address !== null && isInEuropeanUnion(seller.address.country)
  const untaxed = (id: 'AE' | 'G' | 'O', reason: string): VatCategory => ({
    id,
    percent: id === 'O' ? null : '0',
    exemption: { code: isEuropean ? `VATEX-EU-${id}` : null, reason },
  })
  if (!tax && taxes.length === 0 && seller.taxExemption)
    return { id: 'E', percent: '0', exemption: { code: null, reason: seller.taxExemption } }
  if (!tax && taxes.length === 0) return untaxed('O', 'Not subject to VAT')
  if (!tax) return { id: 'E', percent: '0', exemption: { code: null, reason: 'Exempt: no tax falls on this part of the sale' } }
  if (tax.reverse_charge) return untaxed('AE', 'Reverse charge')
  if (tax.percentage > 0) return { id: 'S', percent: percentText(tax.percentage), exemption: null }
  if (isEuropean && !isInEuropeanUnion(buyer.address.country)) return untaxed('G', 'Export outside the European Union')
  return { id: 'Z', percent: '0', exemption: null }
}

/** Rates have at most four decimal places, so the rounded float prints as it was entered. */
function percentText(percentage: number): string {
  return String(Math.round(percentage * 10_000) / 10_000)
}
