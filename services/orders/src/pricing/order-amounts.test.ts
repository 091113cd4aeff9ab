import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  appliedTaxes,
  computeAdvertisedPrice,
  discountOn,
  orderAmounts,
  type DiscountRule,
  type OrderAmounts,
  type PricedLine,
  type Purchase,
} from './order-amounts.ts'
import { divideRounded } from './rounding.ts'
import { addedTax, includedTax, type TaxRate } from './tax-amounts.ts'

const vat: TaxRate = { name: 'VAT', country: 'FR', state: null, partsPerMillion: 200_000n, isReverseCharge: false }

const amount = fc.bigInt({ min: 0n, max: 10n ** 12n })
const rate: fc.Arbitrary<TaxRate> = fc.record({
  name: fc.constantFrom('VAT', 'GST'),
  country: fc.constantFrom('FR', 'DE'),
  state: fc.constant(null),
  partsPerMillion: fc.bigInt({ min: 0n, max: 1_000_000n }),
  isReverseCharge: fc.boolean(),
})
const rule: fc.Arbitrary<DiscountRule | null> = fc.oneof(
  fc.constant(null),
  fc.record({ type: fc.constant('fixed' as const), amount }),
  fc.record({ type: fc.constant('percentage' as const), basisPoints: fc.bigInt({ min: 1n, max: 10_000n }) }),
)
const taxBehavior = fc.constantFrom('inclusive' as const, 'exclusive' as const)
/** Lines with at most three rates, so that several lines share one. */
const purchase: fc.Arbitrary<Purchase> = fc.array(fc.option(rate), { minLength: 1, maxLength: 3 }).chain((rates) =>
  fc.record({
    lines: fc.array(fc.record({ amount, rate: fc.constantFrom(...rates), isDiscountable: fc.boolean() }), { minLength: 1, maxLength: 20 }),
    discount: rule,
    taxBehavior,
  }),
)
const sum = (amounts: readonly bigint[]) => amounts.reduce((total, each) => total + each, 0n)
const runs = { numRuns: 10_000 }

function expectEqualities({ subtotal, discount, net, tax, total, lines, taxes }: OrderAmounts): void {
  expect(subtotal - discount).toBe(net)
  expect(net + tax).toBe(total)
  expect(sum(lines.map((line) => line.amount))).toBe(subtotal)
  expect(sum(lines.map((line) => line.discount))).toBe(discount)
  expect(sum(lines.map((line) => line.tax))).toBe(tax)
  expect(sum(taxes.map((each) => each.amount))).toBe(tax)
}

test('subtotal, net, total, lines and taxes always add up, and no amount is negative [48]', () => {
  fc.assert(
    fc.property(purchase, (wanted) => {
      const amounts = orderAmounts(wanted)
      expectEqualities(amounts)
      for (const each of [amounts.subtotal, amounts.discount, amounts.net, amounts.tax]) expect(each >= 0n).toBe(true)
    }),
    runs,
  )
})

test('inclusive prices total the advertised price less the discount at any rate', () => {
  fc.assert(
    fc.property(purchase, (wanted) => {
      const untaxed = { ...wanted, lines: wanted.lines.map((line) => ({ ...line, rate: null })) }
      expect(orderAmounts({ ...wanted, taxBehavior: 'inclusive' }).total).toBe(orderAmounts(untaxed).net)
    }),
    runs,
  )
})

test('tax is the rate of its rounded base, and zero under reverse charge [50]', () => {
  fc.assert(
    fc.property(purchase, (wanted) => {
      const { taxes, net } = orderAmounts({ ...wanted, taxBehavior: 'exclusive' })
      for (const { rate: each, taxable, amount: tax } of taxes) {
        expect(tax).toBe(each.isReverseCharge ? 0n : divideRounded(taxable * each.partsPerMillion, 1_000_000n))
      }
      if (wanted.lines.every((line) => line.rate)) expect(sum(taxes.map(({ taxable }) => taxable))).toBe(net)
    }),
    runs,
  )
})

test('amounts add up with credits among the lines', () => {
  const credited = fc.record({ credit: fc.bigInt({ min: 0n, max: 10n ** 12n }), rest: amount, rate: fc.option(rate), taxBehavior })
  fc.assert(
    fc.property(credited, ({ credit, rest, rate: of, taxBehavior: behavior }) => {
      const line = (value: bigint): PricedLine => ({ amount: value, rate: of, isDiscountable: value >= 0n })
      const amounts = orderAmounts({ lines: [line(credit + rest), line(-credit)], discount: null, taxBehavior: behavior })
      expectEqualities(amounts)
      expect(amounts.tax >= 0n).toBe(true)
    }),
    runs,
  )
})

const lines = (...amounts: bigint[]): PricedLine[] => amounts.map((each) => ({ amount: each, rate: null }))

test.each([
  ['a fixed discount', [1000n, 500n], { type: 'fixed', amount: 300n }, { subtotal: 1500n, discount: 300n, net: 1200n }],
  ['a fixed discount above the price', [500n], { type: 'fixed', amount: 800n }, { subtotal: 500n, discount: 500n, net: 0n }],
  ['ten percent', [1999n], { type: 'percentage', basisPoints: 1000n }, { subtotal: 1999n, discount: 200n, net: 1799n }],
  ['half a cent rounds up', [50n], { type: 'percentage', basisPoints: 100n }, { subtotal: 50n, discount: 1n, net: 49n }],
  ['one hundred percent', [4200n], { type: 'percentage', basisPoints: 10_000n }, { subtotal: 4200n, discount: 4200n, net: 0n }],
] satisfies [string, bigint[], DiscountRule, object][])('%s', (...[, prices, discount, expected]) => {
  expect(orderAmounts({ lines: lines(...prices), discount, taxBehavior: 'exclusive' })).toMatchObject(expected)
})

test.each(['exclusive', 'inclusive'] as const)('lines that cancel each other out keep their amounts, with %s prices', (behavior) => {
  // A credit that exceeds the price is carried over.
  const advertised = [1_200n, -3_000n, 1_800n]
  const lines = advertised.map((each) => ({ amount: each, rate: vat }))
  const amounts = orderAmounts({ lines, discount: null, taxBehavior: behavior })
  const net = behavior === 'inclusive' ? [1_000n, -2_500n, 1_500n] : advertised
  expect(amounts.lines.map((line) => line.amount)).toEqual(net)
  expect(amounts.lines.map((line) => line.tax)).toEqual(net.map((each) => each / 5n))
  expect(amounts).toMatchObject({ subtotal: 0n, discount: 0n, net: 0n, tax: 0n, total: 0n, taxes: [{ taxable: 0n, amount: 0n }] })
})

test('lines that nearly cancel each other out keep their amounts and their tax', () => {
  const german = { ...vat, partsPerMillion: 190_000n }
  const of = (behavior: 'inclusive' | 'exclusive', ...advertised: bigint[]) =>
    orderAmounts({ lines: advertised.map((amount) => ({ amount, rate: german })), discount: null, taxBehavior: behavior })
  const shares = (amounts: ReturnType<typeof of>) => amounts.lines.map(({ amount, tax }) => [amount, tax])
  expect(of('inclusive', -99_900n, 99_905n)).toMatchObject({ net: 4n, tax: 1n, total: 5n })
  expect(shares(of('inclusive', -99_900n, 99_905n))).toEqual([
    [-83_950n, -15_950n],
    [83_954n, 15_951n],
  ])
  expect(shares(of('exclusive', -2_000n, 2_002n))).toEqual([
    [-2_000n, -380n],
    [2_002n, 380n],
  ])
})

test('with credits among the lines, each line is at most a few minor units off its own tax', () => {
  const line = fc.record({ amount: fc.bigInt({ min: -1_000_000n, max: 1_000_000n }), rate: fc.constant(vat) })
  const purchase = fc.record({
    lines: fc.array(line, { minLength: 2, maxLength: 8 }),
    taxBehavior: fc.constantFrom('inclusive' as const, 'exclusive' as const),
  })
  const check = ({
    lines: priced,
    taxBehavior,
  }: {
    lines: { amount: bigint; rate: TaxRate }[]
    taxBehavior: 'inclusive' | 'exclusive'
  }) => {
    const { lines: shares } = orderAmounts({ lines: priced, discount: null, taxBehavior })
    for (const [index, { amount, tax }] of shares.entries()) {
      const advertised = priced[index]?.amount ?? 0n
      const exact = taxBehavior === 'inclusive' ? advertised - includedTax(advertised, vat) : advertised
      expect(Math.abs(Number(amount - exact))).toBeLessThanOrEqual(2)
      expect(Math.abs(Number(tax - addedTax(exact, vat)))).toBeLessThanOrEqual(3)
    }
  }
  fc.assert(fc.property(purchase, check), { numRuns: 2_000 })
})

test('20 % on top of 100.00 and within 120.00 give the same amounts [58]', () => {
  const of = (behavior: 'inclusive' | 'exclusive', price: bigint) =>
    orderAmounts({ lines: [{ amount: price, rate: vat }], discount: { type: 'percentage', basisPoints: 1000n }, taxBehavior: behavior })
  expect(of('exclusive', 10_000n)).toEqual(of('inclusive', 12_000n))
  expect(of('inclusive', 12_000n)).toMatchObject({ subtotal: 10_000n, discount: 1000n, net: 9000n, tax: 1800n, total: 10_800n })
})

test('allocates a discount in proportion; lines outside it keep their price', () => {
  const wanted = [...lines(1000n, 500n, 501n), { amount: 400n, rate: null, isDiscountable: false }]
  const shares = orderAmounts({ lines: wanted, discount: { type: 'fixed', amount: 100n }, taxBehavior: 'exclusive' }).lines
  expect(shares.map(({ discount }) => discount)).toEqual([50n, 25n, 25n, 0n])
})

test('a line with a discount bears less of the tax than one of the same price without', () => {
  const wanted = [
    { amount: 1000n, rate: vat },
    { amount: 1000n, rate: vat, isDiscountable: false },
  ]
  const shares = orderAmounts({ lines: wanted, discount: { type: 'fixed', amount: 400n }, taxBehavior: 'exclusive' }).lines
  expect(shares.map(({ discount, tax }) => [discount, tax])).toEqual([
    [400n, 120n],
    [0n, 200n],
  ])
})

test.each(['exclusive', 'inclusive'] as const)(
  'a discount beside a credit lowers the tax of its line alone, with %s prices',
  (behavior) => {
    const wanted = [
      { amount: 1200n, rate: vat },
      { amount: -600n, rate: vat, isDiscountable: false },
    ]
    const shares = orderAmounts({ lines: wanted, discount: { type: 'fixed', amount: 120n }, taxBehavior: behavior }).lines
    const [charged, credited] =
      behavior === 'inclusive'
        ? [
            [1000n, 100n, 180n],
            [-500n, 0n, -100n],
          ]
        : [
            [1200n, 120n, 216n],
            [-600n, 0n, -120n],
          ]
    expect(shares.map(({ amount, discount, tax }) => [amount, discount, tax])).toEqual([charged, credited])
  },
)

test('charged lines share the rounded tax, the first ones the odd units', () => {
  const wanted = [3n, 3n, 3n, 0n].map((each) => ({ amount: each, rate: vat }))
  const { lines: shares } = orderAmounts({ lines: wanted, discount: null, taxBehavior: 'exclusive' })
  expect(shares.map(({ tax }) => tax)).toEqual([1n, 1n, 0n, 0n])
})

test.each([
  ['country', { country: 'DE' }],
  ['state', { state: 'FR-COR' }],
  ['name', { name: 'GST' }],
  ['percentage', { partsPerMillion: 100_000n }],
  ['reverse charge', { isReverseCharge: true }],
  ['name and percentage, which together read the same', { name: 'VAT2', partsPerMillion: 0n }],
])('rates with another %s are taxed separately', (...[, difference]) => {
  const other = { ...vat, ...difference }
  const { taxes, lines: shares } = orderAmounts({
    lines: [
      { amount: 1000n, rate: vat },
      { amount: 1000n, rate: other },
    ],
    discount: null,
    taxBehavior: 'exclusive',
  })
  expect(taxes.map(({ rate: each }) => each)).toEqual([vat, other])
  expect(shares.map(({ taxPosition }) => taxPosition)).toEqual([1, 2])
})

test('a discount lowers neither a free price nor a credit', () => {
  for (const amount of [0n, -500n]) expect(discountOn(amount, { type: 'fixed', amount: 100n })).toBe(0n)
})

test('rounds tax once for all lines of a rate, not per line', () => {
  const wanted = [1n, 1n, 1n, 1n].map((each) => ({ amount: each, rate: vat }))
  const { tax, lines: shares } = orderAmounts({ lines: wanted, discount: null, taxBehavior: 'exclusive' })
  expect({ tax, shares: shares.map((line) => line.tax) }).toEqual({ tax: 1n, shares: [1n, 0n, 0n, 0n] })
})

test('an inclusive price stays unchanged under reverse charge', () => {
  const reverse = { ...vat, isReverseCharge: true }
  const { net, tax, taxes } = orderAmounts({ lines: [{ amount: 12_000n, rate: reverse }], discount: null, taxBehavior: 'inclusive' })
  expect({ net, tax, taxes }).toEqual({ net: 12_000n, tax: 0n, taxes: [{ rate: reverse, taxable: 12_000n, amount: 0n }] })
})

test('the advertised price of an order of one line follows from its amounts, with a discount to the minor unit', () => {
  fc.assert(
    fc.property(fc.record({ line: fc.record({ amount, rate: fc.option(rate) }), discount: rule, taxBehavior }), (wanted) => {
      const amounts = orderAmounts({ ...wanted, lines: [wanted.line] })
      const { subtotal: subtotalAmount, discount: discountAmount, total: totalAmount } = amounts
      const stored = { subtotalAmount, discountAmount, totalAmount, taxes: appliedTaxes(amounts), taxBehavior: wanted.taxBehavior }
      const difference = computeAdvertisedPrice(stored) - wanted.line.amount
      const isExact = wanted.taxBehavior === 'exclusive' || wanted.discount === null
      expect(difference >= (isExact ? 0n : -1n) && difference <= (isExact ? 0n : 1n)).toBe(true)
    }),
    runs,
  )
})
