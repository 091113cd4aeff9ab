import type { AppliedTax } from '@quittance/contracts/taxes'
import { linesByRate, sum } from '../electronic/lines-by-rate.ts'
import type { DocumentLine } from '../rendering/document-model.ts'
import type { DocumentSnapshot } from './document-snapshot.ts'
import { positive, splitInProportion } from './split-in-proportion.ts'

/** Credited amount in minor units. */
export interface CreditAmount {
  net: number
  tax: number
}

/** Part of an invoice that one tax rate applies to. */
interface RatedAmount extends CreditAmount {
  /** Null for the untaxed part. */
  rate: AppliedTax | null
}

/**
 * Builds the content of a credit note. A full credit repeats the lines of the invoice. A partial one has one line per tax rate, in
 * proportion to what the earlier credit notes left of each rate; together they credit exactly what was invoiced at each rate.
 */
export function buildCreditContent(
  invoice: DocumentSnapshot,
  { net, tax }: CreditAmount,
  credited: readonly DocumentSnapshot[],
): Partial<DocumentSnapshot> {
  const { lines, subtotal, discount, taxes } = invoice
  if (net === invoice.net && tax === invoice.tax) {
    return { lines, subtotal, discount, net, tax, taxes, total: net + tax }
  }
  const shares = splitByRate(invoice, { net, tax }, credited)
  return {
    lines: shares.map((share) => ({
      taxPosition: share.rate ? shares.filter(({ rate }) => rate).indexOf(share) + 1 : 0,
      ...nameLine(invoice, share.rate),
      amount: share.net,
      discount: 0,
      tax: share.tax,
    })),
    subtotal: net,
    discount: 0,
    net,
    tax,
    total: net + tax,
    taxes: shares.flatMap(({ rate, ...share }) => (rate ? [{ ...rate, taxable_amount: share.net, amount: share.tax }] : [])),
  }
}

/** Returns what no valid credit note credits yet; negative only for credit notes of releases before the limit. */
export function computeRemainder(
  { net, tax }: Pick<DocumentSnapshot, 'net' | 'tax'>,
  credited: readonly Pick<DocumentSnapshot, 'net' | 'tax'>[],
): CreditAmount {
  return { net: net - sum(credited.map((each) => each.net)), tax: tax - sum(credited.map((each) => each.tax)) }
}

/** Splits a credit in proportion to what is left of each rate. Parts that round to nothing are omitted. */
export function splitByRate(
  invoice: Pick<DocumentSnapshot, 'net' | 'tax' | 'taxes'>,
  { net, tax }: CreditAmount,
  credited: readonly Pick<DocumentSnapshot, 'net' | 'tax' | 'taxes'>[],
): RatedAmount[] {
  const left = groupByRate(invoice).map((group) => {
    const earlier = credited.flatMap((each) => groupByRate(each).filter(({ rate }) => isSameRate(rate, group.rate)))
    return {
      rate: group.rate,
      net: group.net - sum(earlier.map((each) => each.net)),
      tax: group.tax - sum(earlier.map((each) => each.tax)),
    }
  })
  const nets = splitInProportion(
    net,
    left.map((group) => group.net),
  )
  // Tax goes with its net amount, unless the rest of the tax belongs to rates without a share of the net amount.
  const beside = left.map((group, index) => (nets[index] === 0 ? 0 : group.tax))
  const taxes = splitInProportion(tax, sum(beside.map(positive)) >= tax ? beside : left.map((group) => group.tax))
  return left
    .map(({ rate }, index) => ({ rate, net: nets[index] ?? 0, tax: taxes[index] ?? 0 }))
    .filter((share, index, { length }) => share.net !== 0 || share.tax !== 0 || (length === 1 && index === 0))
}

/** Returns the parts of a document by rate; the untaxed part is what no rate applies to. */
function groupByRate({ net, tax, taxes }: Pick<DocumentSnapshot, 'net' | 'tax' | 'taxes'>): RatedAmount[] {
  const rated = taxes.map((rate) => ({ rate, net: rate.taxable_amount, tax: rate.amount }))
  const untaxed = { rate: null, net: net - sum(rated.map((each) => each.net)), tax: tax - sum(rated.map((each) => each.tax)) }
  return rated.length === 0 || untaxed.net !== 0 || untaxed.tax !== 0 ? [...rated, untaxed] : rated
}

function isSameRate(one: AppliedTax | null, other: AppliedTax | null): boolean {
  return rateKey(one) === rateKey(other)
}

function rateKey(rate: AppliedTax | null): string {
  return JSON.stringify(rate && [rate.name, rate.country, rate.state, rate.percentage, rate.reverse_charge])
}

/**
 * Names the line of a rate like the first line of the invoice that charges something at it: what was paid for, not what was credited there.
 * Lines of earlier releases do not name their rate, so it may be unknown.
 */
function nameLine(invoice: DocumentSnapshot, rate: AppliedTax | null): Pick<DocumentLine, 'label' | 'proration'> {
  const { lines, taxes, number } = invoice
  const isOnlyRate = taxes.length === 0 || (taxes.length === 1 && rate)
  const group = isOnlyRate ? undefined : linesByRate(invoice)?.find(({ tax }) => isSameRate(tax, rate))
  const { label, proration } = findCharge(group?.lines ?? []) ?? findCharge(lines) ?? { label: number, proration: false }
  return { label, proration }
}

function findCharge(lines: readonly DocumentLine[]): DocumentLine | undefined {
  return lines.find(({ amount }) => amount > 0) ?? lines[0]
}
