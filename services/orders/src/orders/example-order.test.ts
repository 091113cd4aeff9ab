import { examples } from '@quittance/contracts/examples'
import { expect, test } from 'vitest'
import { orderAmounts } from '../pricing/order-amounts.ts'

test('the published example order has the amounts that orderAmounts computes', () => {
  const { Order: order = {}, OrderItem: item = {}, AppliedTax: tax = {}, Discount: discount = {} } = examples
  const partsPerMillion = BigInt(Number(tax['percentage']) * 10_000)
  const rate = { name: 'VAT', country: 'GB', state: null, partsPerMillion, isReverseCharge: false }
  const computed = orderAmounts({
    lines: [{ amount: BigInt(Number(item['amount'])), rate }],
    discount: { type: 'percentage', basisPoints: BigInt(Number(discount['basis_points'])) },
    taxBehavior: 'exclusive',
  })
  expect(computed).toMatchObject({
    subtotal: BigInt(Number(order['subtotal_amount'])),
    discount: BigInt(Number(order['discount_amount'])),
    net: BigInt(Number(order['net_amount'])),
    tax: BigInt(Number(order['tax_amount'])),
    total: BigInt(Number(order['total_amount'])),
    lines: [{ discount: BigInt(Number(item['discount_amount'])), tax: BigInt(Number(item['tax_amount'])) }],
    taxes: [{ taxable: BigInt(Number(tax['taxable_amount'])), amount: BigInt(Number(tax['amount'])) }],
  })
})
