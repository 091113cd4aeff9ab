import { adjustTo, allocate, divideRounded } from './rounding.ts'
import { addedTax, includedTax, type TaxBehavior, type TaxRate } from './tax-amounts.ts'
import type { AppliedTax as AppliedTaxReply } from '@quittance/contracts/taxes'

/** How a discount is computed. A percentage is in basis points: 10000 is 100 %. */
export type DiscountRule = { type: 'fixed'; amount: bigint } | { type: 'percentage'; basisPoints: bigint }

/** A line at its advertised price, including tax if prices are inclusive. Negative for a credit. */
export interface PricedLine {
  amount: bigint
  /** False for lines that no discount of the order lowers, such as prorations of an earlier product change. */
  isDiscountable?: boolean
  /** Null if no tax applies. */
  rate: TaxRate | null
}

export interface Purchase {
  lines: readonly PricedLine[]
  discount: DiscountRule | null
  taxBehavior: TaxBehavior
}

/** A line of an order: its amount before discount and tax, and its shares of both. */
export interface LineAmounts {
  amount: bigint
  discount: bigint
  tax: bigint
  /** The tax of the line: 1 for the first of the purchase's taxes, 0 for none. */
  taxPosition: number
}

/** The tax of one rate, computed once from its total base. */
export interface AppliedTax {
  rate: TaxRate
  taxable: bigint
  amount: bigint
}

/**
 * All amounts are in minor units, without tax except `tax` and `total`. `net = subtotal − discount` and `total = net + tax` always hold.
 */
export interface OrderAmounts {
  subtotal: bigint
  discount: bigint
  net: bigint
  tax: bigint
  total: bigint
  /** In the order of the purchase; they add up exactly to subtotal, discount and tax. */
  lines: LineAmounts[]
  taxes: AppliedTax[]
}

/**
 * Computes all amounts of checkouts, orders and invoices; no other code does. A discount never exceeds what it lowers. Tax is rounded once
 * per rate and allocated to the lines.
 */
export function orderAmounts({ lines, discount, taxBehavior }: Purchase): OrderAmounts {
  const lineDiscounts = computeDiscounts(lines, discount)
  const result: LineAmounts[] = lines.map(() => ({ amount: 0n, discount: 0n, tax: 0n, taxPosition: 0 }))
  const taxes: AppliedTax[] = []
  for (const { rate, positions } of byRate(lines)) {
    const { net, tax, shares } = computeShares(
      positions.map((position) => ({ advertised: lines[position]?.amount ?? 0n, off: lineDiscounts[position] ?? 0n })),
      { rate, taxBehavior },
    )
    if (rate) taxes.push({ rate, taxable: net, amount: tax })
    const taxPosition = rate ? taxes.length : 0
    for (const [index, position] of positions.entries()) result[position] = { ...(shares[index] as Share), taxPosition }
  }
  const [subtotal, off, tax] = [sum(result.map((r) => r.amount)), sum(result.map((r) => r.discount)), sum(result.map((r) => r.tax))]
  return { subtotal, discount: off, net: subtotal - off, tax, total: subtotal - off + tax, lines: result, taxes }
}

type Share = Omit<LineAmounts, 'taxPosition'>

interface AdvertisedLine {
  advertised: bigint
  /** The discount on it. */
  off: bigint
}

/**
 * Computes the amounts of the lines of one rate. Lines that are charged beside lines that are credited are computed each for itself, because
 * their sum may be much smaller than each; only what rounding leaves is allocated.
 */
function computeShares(
  lines: readonly AdvertisedLine[],
  { rate, taxBehavior }: { rate: TaxRate | null; taxBehavior: TaxBehavior },
): { net: bigint; tax: bigint; shares: Share[] } {
  const [advertised, off] = [lines.map((line) => line.advertised), lines.map((line) => line.off)]
  const included = (amount: bigint) => (rate && taxBehavior === 'inclusive' ? includedTax(amount, rate) : 0n)
  const added = (amount: bigint) => (rate && taxBehavior === 'exclusive' ? addedTax(amount, rate) : 0n)
  const subtotal = sum(advertised) - included(sum(advertised))
  const paid = sum(advertised) - sum(off)
  const net = paid - included(paid)
  const tax = paid - net + added(net)
  const isMixed = advertised.some((amount) => amount > 0n) && advertised.some((amount) => amount < 0n)
  const amounts = isMixed
    ? adjustTo(
        subtotal,
        advertised.map((amount) => amount - included(amount)),
      )
    : allocate(subtotal, advertised)
  const discounts = allocate(subtotal - net, off)
  const nets = amounts.map((amount, index) => amount - (discounts[index] ?? 0n))
  const taxes = isMixed
    ? adjustTo(
        tax,
        lines.map((line, index) => line.advertised - line.off - (nets[index] ?? 0n) + added(nets[index] ?? 0n)),
      )
    : allocate(tax, nets)
  const shares = amounts.map((amount, index) => ({ amount, discount: discounts[index] ?? 0n, tax: taxes[index] ?? 0n }))
  return { net, tax, shares }
}

/** Computes the discount on an amount: at most the whole amount. */
export function discountOn(amount: bigint, rule: DiscountRule | null): bigint {
  if (!rule || amount <= 0n) return 0n
  const wanted = rule.type === 'fixed' ? rule.amount : divideRounded(amount * rule.basisPoints, 10_000n)
  return wanted < amount ? wanted : amount
}

/** Amounts that an order has stored. */
interface StoredAmounts {
  subtotalAmount: bigint
  discountAmount: bigint
  totalAmount: bigint
  taxes: readonly AppliedTaxReply[]
  taxBehavior: TaxBehavior
}

/** Returns the advertised price that an order of one line sold. With a discount on a price that includes tax, rounding can hide one minor unit. */
export function computeAdvertisedPrice({ subtotalAmount, discountAmount, totalAmount, taxes, taxBehavior }: StoredAmounts): bigint {
  if (taxBehavior === 'exclusive') return subtotalAmount
  if (discountAmount === 0n) return totalAmount
  const charged = taxes.find(({ reverse_charge }) => !reverse_charge)
  const partsPerMillion = BigInt(Math.round((charged?.percentage ?? 0) * 10_000))
  return subtotalAmount + divideRounded(subtotalAmount * partsPerMillion, 1_000_000n)
}

/** Allocates the total discount to the lines it applies to. */
function computeDiscounts(lines: readonly PricedLine[], rule: DiscountRule | null): bigint[] {
  const weights = lines.map(({ amount, isDiscountable = true }) => (isDiscountable ? amount : 0n))
  return allocate(discountOn(sum(weights), rule), weights)
}

/** Groups line positions by rate, in the order in which rates first appear. */
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

/** Returns the taxes of a purchase as they are stored and returned. */
export function appliedTaxes({ taxes }: OrderAmounts): AppliedTaxReply[] {
  return taxes.map(({ rate: { name, country, state, partsPerMillion, isReverseCharge }, taxable, amount }) => ({
    name,
    country,
    state,
    percentage: Number(partsPerMillion) / 10_000,
    reverse_charge: isReverseCharge,
    taxable_amount: Number(taxable),
    amount: Number(amount),
  }))
}
