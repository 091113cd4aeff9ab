import type { ReadInvoice } from './read-invoice.ts'

type Rule = (invoice: ReadInvoice) => boolean

const sum = (amounts: readonly number[]) => amounts.reduce((total, amount) => total + amount, 0)
const getCategory = (vat: string) => vat.split(' ')[0] as string
const getRate = (vat: string) => vat.split(' ')[1]
const untaxed = ['Z', 'AE', 'E', 'G', 'O']

function everyVat({ lines, allowances, breakdown }: ReadInvoice): string[] {
  return [...lines, ...allowances, ...breakdown].map(({ vat }) => vat)
}

function uses(invoice: ReadInvoice, ...categories: string[]): boolean {
  return everyVat(invoice).some((vat) => categories.includes(getCategory(vat)))
}

/**
 * The rules of EN 16931 about arithmetic, VAT categories and required parties, written by hand from the standard: no package contains its
 * Schematron. BR-x represents the rule with that number in each category.
 */
const rules: Record<string, Rule> = {
  'BR-02': ({ number }) => !!number,
  'BR-06 BR-07': ({ seller, buyer }) => !!seller.name && !!buyer.name,
  'BR-09 BR-11': ({ seller, buyer }) => !!seller.country && !!buyer.country,
  'BR-16': ({ lines }) => lines.length > 0,
  'BR-25': ({ lines }) => lines.every(({ name }) => !!name),
  'BR-27': ({ lines }) => lines.every(({ price }) => price >= 0),
  'BR-33': ({ allowances }) => allowances.every(({ reason }) => !!reason),
  'BR-55': ({ preceding }) => preceding === null || !!preceding.number,
  'line net': ({ lines }) => lines.every(({ quantity, price, net }) => quantity * price === net),
  'BR-CO-04': (invoice) => everyVat(invoice).every((vat) => ['S', ...untaxed].includes(getCategory(vat))),
  'BR-CO-09': ({ seller, buyer }) =>
    [seller, buyer].every(({ vatNumber }) => vatNumber === null || /^(?:[A-Z]{2})[0-9A-Z+*]+$/.test(vatNumber)),
  'BR-CO-10': ({ lines, totals }) => sum(lines.map(({ net }) => net)) === totals.lines,
  'BR-CO-11': ({ allowances, totals }) => sum(allowances.map(({ amount }) => amount)) === totals.allowances,
  // BR-CO-12 is about charges, which these documents do not have.
  'BR-CO-13': ({ totals }) => totals.net === totals.lines - totals.allowances,
  'BR-CO-14': ({ breakdown, totals }) => sum(breakdown.map(({ tax }) => tax)) === totals.tax,
  'BR-CO-15': ({ totals }) => totals.gross === totals.net + totals.tax,
  'BR-CO-16': ({ totals }) => totals.payable === totals.gross - totals.prepaid,
  // The Schematron of the standard tolerates less than one whole unit.
  'BR-CO-17': ({ breakdown }) =>
    breakdown.every(({ vat, taxable, tax }) => Math.abs(tax - (taxable * Number(getRate(vat) ?? 0)) / 100) < 100),
  'BR-CO-18': ({ breakdown }) => breakdown.length > 0,
  'BR-CO-26': ({ seller }) => !!(seller.vatNumber ?? seller.legalRegistration),
  'BR-x-01': (invoice) => {
    const groups = invoice.breakdown.map(({ vat }) => vat)
    return new Set(groups).size === groups.length && everyVat(invoice).every((vat) => groups.includes(vat))
  },
  'BR-x-02': (invoice) => !uses(invoice, 'S', 'Z', 'AE', 'E') || !!(invoice.seller.vatNumber ?? invoice.seller.taxRegistration),
  'BR-AE-02': (invoice) => !uses(invoice, 'AE') || !!(invoice.buyer.vatNumber ?? invoice.buyer.legalRegistration),
  'BR-G-02': (invoice) => !uses(invoice, 'G') || !!invoice.seller.vatNumber,
  'BR-O-02': (invoice) => !uses(invoice, 'O') || (!invoice.seller.vatNumber && !invoice.buyer.vatNumber),
  'BR-O-11': (invoice) => !uses(invoice, 'O') || invoice.breakdown.length === 1,
  'BR-x-05': (invoice) =>
    everyVat(invoice).every((vat) => {
      const rate = getRate(vat)
      if (getCategory(vat) === 'O') return rate === undefined
      return getCategory(vat) === 'S' ? Number(rate) > 0 : rate === '0'
    }),
  'BR-x-08': ({ lines, allowances, breakdown }) =>
    breakdown.every((group) => {
      const of = <T extends { vat: string }>(parts: readonly T[]) => parts.filter(({ vat }) => vat === group.vat)
      return group.taxable === sum(of(lines).map(({ net }) => net)) - sum(of(allowances).map(({ amount }) => amount))
    }),
  'BR-x-09': ({ breakdown }) => breakdown.every(({ vat, tax }) => getCategory(vat) === 'S' || tax === 0),
  'BR-x-10': ({ breakdown }) => breakdown.every(({ vat, reason }) => ['S', 'Z'].includes(getCategory(vat)) === (reason === null)),
}

/** Returns the names of the rules that an invoice violates. */
export function findViolatedRules(invoice: ReadInvoice): string[] {
  return Object.entries(rules).flatMap(([name, holds]) => (holds(invoice) ? [] : [name]))
}
