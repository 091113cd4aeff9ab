import { randomUUID } from 'node:crypto'
import { addReceipt, listBankReceipts, markRefundAsPaid } from '@quittance/contracts/bank-receipts'
import { checkoutUpdated, confirmCheckout, createCheckout, getCheckout, PaymentError, updateCheckout } from '@quittance/contracts/checkouts'
import { deleteCustomer } from '@quittance/contracts/customers'
import { createDiscount, getDiscount } from '@quittance/contracts/discounts'
import { ResourceNotFound } from '@quittance/contracts/errors'
import { listOrders } from '@quittance/contracts/orders'
import { createProduct } from '@quittance/contracts/products'
import { listRefunds } from '@quittance/contracts/refunds'
import { revokeSubscription } from '@quittance/contracts/subscriptions'
import { organizationCaller } from '@quittance/testing/callers'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { asThisRelease, expectMoneyToAddUp } from './money.ts'
import { startOrders, type OrdersUnderTest, type Shop } from './start-orders.ts'
import { buyPlan, type Subscribed } from './subscribe.ts'
import { buyByTransfer, startTransferShop } from './transfer-shop.ts'

const anonymous = { kind: 'anonymous' } as const
const half = { name: 'Half', code: 'HALF', type: 'percentage' as const, basis_points: 5_000, duration: 'once' as const, max_redemptions: 1 }

/** The provider takes the money of the open payment. */
async function succeed(orders: OrdersUnderTest): Promise<void> {
  await orders.rows(`update sandbox_objects set status = 'succeeded' returning 1`)
  await asThisRelease(orders, 'update payments set next_check_at = now(), leased_until = null where settled_at is null')
  await eventually(async () => expect(await orders.rows('select from payments where surplus_at is not null')).toHaveLength(1))
}

async function readCheckouts({ rows }: Pick<OrdersUnderTest, 'rows'>): Promise<string[]> {
  return (await rows<{ status: string }>('select status from checkouts order by created_at')).map(({ status }) => status)
}

const ends: [how: string, end: (orders: OrdersUnderTest, pending: Subscribed) => Promise<unknown>][] = [
  ['subscription is revoked', (orders, { seller, subscription }) => orders.call(revokeSubscription, { id: subscription.id }, seller)],
  ['customer is deleted', (orders, { seller, subscription }) => orders.call(deleteCustomer, { id: subscription.customer_id }, seller)],
]

test.each(ends)('the checkout fails and releases its discount if the %s before the payment succeeds', async (_, end) => {
  await using orders = await startOrders()
  const shop = await orders.shop()
  const discount = await orders.call(createDiscount, half, shop.seller)
  const pending = await buyPlan(orders, shop, { token: 'ctoken_pending', discountId: discount.id })
  const countRedemptions = async () => (await orders.call(getDiscount, { id: discount.id }, shop.seller)).redemptions_count
  await end(orders, pending)
  expect([await readCheckouts(orders), await countRedemptions()]).toEqual([['confirmed'], 1])
  await succeed(orders)
  expect([await readCheckouts(orders), await countRedemptions()]).toEqual([['failed'], 0])
  await eventually(async () => {
    const published = orders.publishedEvents.filter(({ subject }) => subject === checkoutUpdated.subject)
    expect(published.at(-1)?.payload).toMatchObject({ status: 'failed' })
  })
})

test('a checkout whose late payment is returned waits for its payment in progress', async () => {
  await using shop = await startTransferShop()
  const { orders } = shop
  const { seller, product } = shop.shop
  const { id, client_secret } = await orders.call(createCheckout, { products: [product.id] }, seller)
  const buyer = { customer_email: 'ada@example.com', customer_billing_address: { country: 'GB' as const } }
  const confirm = () => orders.call(confirmCheckout, { client_secret, payment_method_type: 'bank_transfer', ...buyer }, anonymous)
  const readStatus = async () => (await orders.call(getCheckout, { id }, seller)).status
  await confirm()
  await asThisRelease(orders, 'update payments set action_until = now(), next_check_at = now()')
  await eventually(async () => expect(await readStatus()).toBe('open'))
  const off = { name: 'Off', type: 'fixed' as const, amount: 200, currency: 'eur' as const, duration: 'once' as const }
  const discount = await orders.call(createDiscount, off, seller)
  await orders.call(updateCheckout, { id, discount_id: discount.id }, seller)
  await confirm()
  const payments = await orders.rows<{ id: string; amount: number }>('select id, amount::int from payments order by created_at')
  const receive = (at: number) => {
    const { id: paymentId = '', amount = 0 } = payments[at] ?? {}
    return orders.call(addReceipt, { id: paymentId, amount, booked_on: '2026-11-24', bank_reference: `${at}` }, seller)
  }
  await receive(0)
  await eventually(async () => expect(await orders.rows('select from payments where surplus_at is not null')).toHaveLength(1))
  expect(await readStatus()).toBe('confirmed')
  await receive(1)
  await eventually(async () => expect(await readStatus()).toBe('succeeded'))
  expect((await orders.call(listOrders, {}, seller)).items).toMatchObject([{ status: 'paid', total_amount: 4_000 }])
})

test('a seller sees money by transfer that no order needs, and marks it as returned', async () => {
  await using shop = await startTransferShop()
  const { orders } = shop
  const { seller } = shop.shop
  const prices = [{ amount_type: 'fixed' as const, price_amount: 4200, price_currency: 'eur' as const }]
  const plan = await orders.call(createProduct, { name: 'Plan', recurring_interval: 'month', prices }, seller)
  const [needed, surplus] = [await buyByTransfer(shop), await buyByTransfer(shop, plan)]
  const [subscription] = await orders.rows<{ id: string }>('select id from subscriptions')
  await orders.call(revokeSubscription, { id: subscription?.id ?? '' }, seller)
  const receipt = { amount: 4_200, booked_on: '2026-11-24' }
  for (const { paymentId: id } of [needed, surplus]) await orders.call(addReceipt, { id, ...receipt, bank_reference: id }, seller)
  const list = async (is_surplus: boolean) => (await orders.call(listBankReceipts, { is_surplus }, seller)).items
  await eventually(async () => expect(await list(true)).toHaveLength(1))
  const [{ payment_id, surplus_refund_id } = { payment_id: '', surplus_refund_id: '' }] = await list(true)
  expect([payment_id, await list(false)]).toEqual([
    surplus.paymentId,
    [expect.objectContaining({ payment_id: needed.paymentId, surplus_refund_id: null })],
  ])
  const mark = (caller: typeof seller) => orders.call(markRefundAsPaid, { id: surplus_refund_id ?? '' }, caller)
  await expect(mark(organizationCaller(randomUUID()))).rejects.toThrow(ResourceNotFound)
  await eventually(async () => expect(await mark(seller)).toMatchObject({ amount: 4_200, tax_amount: 0, order_id: surplus.orderId }))
  await eventually(async () => expect(await list(true)).toEqual([]))
  expect(await orders.rows(`select state, amount::int from refunds`)).toEqual([{ state: 'succeeded', amount: 4_200 }])
  expect((await orders.call(listRefunds, {}, seller)).items).toEqual([])
  await expectMoneyToAddUp(orders)
})

/** Creates a checkout of the product of the shop and of a plan whose trial needs a payment method. */
async function openTrial(orders: OrdersUnderTest, { seller, product }: Shop) {
  const prices = [{ amount_type: 'fixed' as const, price_amount: 1000 }]
  const trial = { trial_interval: 'month' as const, trial_interval_count: 1 }
  const plan = await orders.call(createProduct, { name: 'Plan', recurring_interval: 'month', prices, ...trial }, seller)
  const { client_secret } = await orders.call(createCheckout, { products: [product.id, plan.id] }, seller)
  const confirm = (product_id: string, token: string, more: object = {}) => {
    const buyer = { customer_email: 'ada@example.com', confirmation_token_id: token, ...more }
    return orders.call(confirmCheckout, { client_secret, product_id, ...buyer }, anonymous)
  }
  const storeMethod = async () => {
    await orders.rows(`update sandbox_objects set status = 'succeeded' returning 1`)
    await asThisRelease(orders, 'update payment_setups set next_check_at = now(), leased_until = null')
  }
  return { plan, confirm, storeMethod }
}

test('a checkout whose late payment is returned waits for its payment method', async () => {
  await using orders = await startOrders()
  const shop = await orders.shop()
  const { plan, confirm, storeMethod } = await openTrial(orders, shop)
  await expect(confirm(shop.product.id, 'ctoken_insufficient_funds')).rejects.toThrow(PaymentError)
  await eventually(async () => expect(await readCheckouts(orders)).toEqual(['open']))
  await confirm(plan.id, 'ctoken_action')
  await orders.rows(`update sandbox_objects set status = 'succeeded' where token = 'ctoken_insufficient_funds' returning 1`)
  await asThisRelease(orders, 'update payments set next_check_at = now(), leased_until = null')
  await eventually(async () => expect(await orders.rows('select from payments where surplus_at is not null')).toHaveLength(1))
  expect(await readCheckouts(orders)).toEqual(['confirmed'])
  await storeMethod()
  await eventually(async () => expect(await readCheckouts(orders)).toEqual(['succeeded']))
})

test('the checkout of a trial fails and releases discount and trial if the subscription is revoked before its method is stored', async () => {
  await using orders = await startOrders()
  const shop = await orders.shop()
  const discount = await orders.call(createDiscount, half, shop.seller)
  const { plan, confirm, storeMethod } = await openTrial(orders, shop)
  await confirm(plan.id, 'ctoken_action', { discount_code: 'HALF' })
  const [subscription] = await orders.rows<{ id: string }>('select id from subscriptions')
  await orders.call(revokeSubscription, { id: subscription?.id ?? '' }, shop.seller)
  await storeMethod()
  await eventually(async () => expect(await readCheckouts(orders)).toEqual(['failed']))
  expect(await orders.call(getDiscount, { id: discount.id }, shop.seller)).toMatchObject({ redemptions_count: 0 })
  expect(await orders.rows('select from trial_redemptions')).toEqual([])
})
