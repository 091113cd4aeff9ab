import { confirmCheckout, createCheckout } from '@quittance/contracts/checkouts'
import { listPayments, type Payment } from '@quittance/contracts/payments'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { useTestProcessor } from './slow-processor.ts'
import { startOrders, type OrdersUnderTest, type Shop } from './start-orders.ts'
import { sharedFake } from './stripe-shop.ts'
import { buyByTransfer, startTransferShop } from './transfer-shop.ts'

const lost = { unknown: 'timeout', sent: true, retryAfterMs: null } as const

/** Buys by a token of the sandbox, and returns the newest payment once it has a reason. */
async function buy(orders: OrdersUnderTest, { seller, product }: Shop, token: string): Promise<Payment> {
  const { client_secret, id } = await orders.call(createCheckout, { products: [product.id] }, seller)
  const request = { client_secret, customer_email: `${token}@example.com`, confirmation_token_id: token }
  await orders.call(confirmCheckout, request, { kind: 'anonymous' })
  return find(orders, { seller, checkoutId: id })
}

async function find(orders: OrdersUnderTest, { seller, checkoutId }: Pick<Shop, 'seller'> & { checkoutId: string }): Promise<Payment> {
  const { items } = await orders.call(listPayments, { checkout_id: checkoutId }, seller)
  return items[0] as Payment
}

test('every open payment has a reason, a sentence and a time; a final one has none [payments 79]', async () => {
  await sharedFake()
  await using orders = await startOrders()
  const shop = await orders.shop()
  const tokens = { ctoken_pending: 'waiting_for_provider', ctoken_action: 'waiting_for_buyer', ctoken_wrong_amount: 'under_review' }
  for (const [token, pending_reason] of Object.entries(tokens)) expect(await buy(orders, shop, token)).toMatchObject({ pending_reason })
  using processor = useTestProcessor()
  processor.instead.submit = async () => lost
  processor.instead.read = async () => lost
  expect(await buy(orders, shop, 'ctoken_ok')).toMatchObject({ pending_reason: 'answer_unknown' })
  delete processor.instead.submit
  processor.instead.cancel = async () => lost
  expect(await buy(orders, shop, 'ctoken_insufficient_funds')).toMatchObject({ pending_reason: 'closing', status: 'failed' })
  const { items } = await orders.call(listPayments, {}, shop.seller)
  expect(items).toHaveLength(5)
  for (const { pending_message: message, next_check_at: time } of items) {
    expect(message).toMatch(/^[A-Z].+[.]$/)
    expect(Date.parse(time ?? '')).not.toBeNaN()
  }
  delete processor.instead.read
  delete processor.instead.cancel
  await orders.rows(
    `update payments set next_check_at = now(), leased_until = null, sent_at = sent_at - interval '3 minutes' where is_open`,
  )
  await eventually(async () => {
    const settled = (await orders.call(listPayments, {}, shop.seller)).items.filter(({ pending_reason }) => pending_reason === null)
    expect(settled.map(({ status }) => status).toSorted()).toEqual(['failed', 'succeeded'])
    for (const payment of settled) expect(payment).toMatchObject({ pending_message: null, next_check_at: null })
  })
})

test('a payment by bank transfer waits for the transfer [payments 79]', async () => {
  await using shop = await startTransferShop()
  const { checkoutId } = await buyByTransfer(shop)
  expect(await find(shop.orders, { seller: shop.shop.seller, checkoutId })).toMatchObject({
    pending_reason: 'waiting_for_transfer',
    status: 'pending',
    next_check_at: expect.any(String),
  })
})
