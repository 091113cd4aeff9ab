import { allocate, divideRounded } from './rounding.ts'
import { taxOn, taxWithin, type TaxBehavior, type TaxRate } from '../taxes/tax-amounts.ts'

/** How a discount is computed. A percentage is in basis points: 10000 is all of it. */
export type DiscountRule = { type: 'fixed'; amount: bigint } | { type: 'percentage'; basisPoints: bigint }

/** What is bought at which price, as it was advertised: with its tax in it when prices are inclusive. Negative for a credit. */
export interface PricedLine {
  amount: bigint
  /** False for what no discount of the order lowers, such as what an earlier change of product left behind. */
  isDiscountable?: boolean
  /** Null where no tax falls on it. */
  rate: TaxRate | null
}

export interface Purchase {
  lines: readonly PricedLine[]
  discount: DiscountRule | null
  taxBehavior: TaxBehavior
}

/** A line of an order: before discount and tax, and its share of both. */
export interface LineAmounts {
  amount: bigint
  discount: bigint
  tax: bigint
}

/** The tax of one rate, computed once from all it falls on. */
export interface AppliedTax {
  rate: TaxRate
  taxable: bigint
  amount: bigint
}

/** All amounts are minor units without tax but for `tax` and `total`. `net = subtotal − discount`, `total = net + tax`, always. */
export interface OrderAmounts {
  subtotal: bigint
  discount: bigint
  net: bigint
  tax: bigint
  total: bigint
  /** In the order of the purchase; they add up to subtotal, discount and tax exactly. */
  lines: LineAmounts[]
  taxes: AppliedTax[]
}

/**
 * The one arithmetic of checkouts, orders and invoices. A discount never exceeds what it is taken from. Tax is rounded once per rate,
 * and the lines get their shares of it.
 */
export function orderAmounts({ lines, discount, taxBehavior }: Purchase): OrderAmounts {
  const offs = discountsOf(lines, discount)
  const result: LineAmounts[] = lines.map(() => ({ amount: 0n, discount: 0n, tax: 0n }))
  const taxes: AppliedTax[] = []
  for (const { rate, positions } of byRate(lines)) {
    const asked = positions.map((position) => lines[position]?.amount ?? 0n)
    const off = positions.map((position) => offs[position] ?? 0n)
    const included = (amount: bigint) => (rate && taxBehavior === 'inclusive' ? taxWithin(amount, rate) : 0n)
    const subtotal = sum(asked) - included(sum(asked))
    const paid = sum(asked) - sum(off)
    const net = paid - included(paid)
    const tax = taxBehavior === 'inclusive' ? paid - net : rate ? taxOn(net, rate) : 0n
    const amounts = allocate(subtotal, asked)
    const discounts = allocate(subtotal - net, off)
    const nets = amounts.map((amount, index) => amount - (discounts[index] ?? 0n))
    const shares = allocate(tax, nets)
    for (const [index, position] of positions.entries()) {
      result[position] = { amount: amounts[index] ?? 0n, discount: discounts[index] ?? 0n, tax: shares[index] ?? 0n }
    }
    if (rate) taxes.push({ rate, taxable: net, amount: tax })
  }
  const [subtotal, off, tax] = [sum(result.map((r) => r.amount)), sum(result.map((r) => r.discount)), sum(result.map((r) => r.tax))]
  return { subtotal, discount: off, net: subtotal - off, tax, total: subtotal - off + tax, lines: result, taxes }
}

/** What a discount takes from an amount: never more than all of it. */
export function discountOn(amount: bigint, rule: DiscountRule | null): bigint {
  if (!rule || amount <= 0n) return 0n
  const wanted = rule.type === 'fixed' ? rule.amount : divideRounded(amount * rule.basisPoints, 10_000n)
  return wanted < amount ? wanted : amount
}

/** The discount of the whole, shared out over the lines it holds for. */
function discountsOf(lines: readonly PricedLine[], rule: DiscountRule | null): bigint[] {
  const weights = lines.map(({ amount, isDiscountable = true }) => (isDiscountable ? amount : 0n))
  return allocate(discountOn(sum(weights), rule), weights)
}

/** Positions of the lines by rate, in the order in which rates first appear. */
function byRate(lines: readonly PricedLine[]): { rate: TaxRate | null; positions: number[] }[] {
  const groups = new Map<string, { rate: TaxRate | null; positions: number[] }>()
  for (const [position, { rate }] of lines.entries()) {
    const key = rate ? [rate.country, rate.state, rate.name, rate.partsPerMillion, rate.isReverseCharge].join('\n') : ''
    const group = groups.get(key) ?? { rate, positions: [] }
    group.positions.push(position)
    groups.set(key, group)
  }
  return [...groups.values()]
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n)
}
