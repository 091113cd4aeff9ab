import { randomUUID } from 'node:crypto'
import type { Caller } from '@quittance/contracts/caller'
import { confirmCheckout, createCheckout } from '@quittance/contracts/checkouts'
import { updateCustomerSubscription, updatePortalCustomer } from '@quittance/contracts/customer-portal'
import { verifyCustomerSession } from '@quittance/contracts/customer-sessions'
import { createDiscount } from '@quittance/contracts/discounts'
import { InvalidToken, RequestValidationError } from '@quittance/contracts/errors'
import { updateCustomer } from '@quittance/contracts/customers'
import { createCustomerSession, customerSessionEnded } from '@quittance/contracts/customer-sessions'
import { hashToken } from '@quittance/runtime/credential'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { expectMoneyToAddUp } from './money.ts'
import { startOrders, type OrdersUnderTest } from './start-orders.ts'
import { advance, after, createPlan, subscribe, type Subscribed } from './subscribe.ts'

const anonymous = { kind: 'anonymous' } as const

/** A customer with a stored card. Customers of the seller may have several subscriptions. */
async function subscribeAda(orders: OrdersUnderTest): Promise<Subscribed> {
  const ada = await subscribe(orders, { price: 1000, email: 'ada@example.com' })
  await orders.rows(
    `update organizations set document = jsonb_set(document, '{subscription_settings,allow_multiple_subscriptions}', 'true') where id = $1
     returning 1`,
    [ada.organizationId],
  )
  return ada
}

const verify = async (orders: OrdersUnderTest, token: string) =>
  (await orders.call(verifyCustomerSession, { hash: hashToken(token) }, anonymous)).caller as Caller

/** Buys with the address of Ada, typed by another buyer. */
async function buyAsAda(orders: OrdersUnderTest, { seller }: Subscribed, request: { products: string[]; discount_id?: string }) {
  const { client_secret } = await orders.call(createCheckout, request, seller)
  const confirmation = { client_secret, customer_email: 'ADA@example.com', customer_name: 'Mallory', confirmation_token_id: 'ctoken_ok' }
  const { customer_session_token } = await orders.call(confirmCheckout, confirmation, anonymous)
  const [row] = await orders.rows<{ id: string; end: string }>(
    `select id, to_json(current_period_end)#>>'{}' as end from subscriptions where product_id = $1`,
    [request.products[0]],
  )
  return { caller: await verify(orders, customer_session_token ?? ''), id: row?.id ?? '', periodEnd: row?.end ?? '' }
}

test('a buyer who typed a stranger’s address cannot change to a product that the stranger’s card would pay', async () => {
  await using orders = await startOrders()
  const ada = await subscribeAda(orders)
  const free = await createPlan(orders, ada.seller, { price: 0 })
  const dear = await createPlan(orders, ada.seller, { price: 90_000, interval: 'year' })
  const { caller, id } = await buyAsAda(orders, ada, { products: [free.id] })
  const change = { id, product_id: dear.id }
  await expect(orders.call(updateCustomerSubscription, change, caller)).rejects.toThrow(RequestValidationError)
  await expect(orders.call(updateCustomerSubscription, { ...change, proration_behavior: 'next_period' as const }, caller)).rejects.toThrow(
    RequestValidationError,
  )
  expect(await orders.rows('select from payments')).toHaveLength(1)
  expect(await orders.call(updateCustomerSubscription, change, ada.buyer)).toMatchObject({ product_id: dear.id })
  await eventually(async () => expect(await orders.rows(`select from payments where state = 'succeeded'`)).toHaveLength(2))
  await expectMoneyToAddUp(orders)
})

test('a renewal after a free first period does not charge the card of a stranger whose address was typed', async () => {
  await using orders = await startOrders()
  const ada = await subscribeAda(orders)
  const plan = await createPlan(orders, ada.seller, { price: 7777 })
  const all = { name: 'First', type: 'percentage' as const, basis_points: 10_000, duration: 'once' as const }
  const discount = await orders.call(createDiscount, all, ada.seller)
  const { periodEnd } = await buyAsAda(orders, ada, { products: [plan.id], discount_id: discount.id })
  await advance(orders, ada, after(periodEnd))
  const paid = await eventually(async () => {
    const rows = await orders.rows<{ payment_method_id: string | null }>(
      `select payment_method_id from payments where amount = 7777 and state = 'succeeded'`,
    )
    expect(rows).toHaveLength(1)
    return rows
  })
  // The token of the sandbox that the buyer gave.
  expect(paid[0]?.payment_method_id).not.toBe((await orders.rows<{ id: string }>('select id from payment_methods where is_default'))[0]?.id)
})

test('a new address ends the sessions of the customer, so that its owner’s purchases are not seen', async () => {
  await using orders = await startOrders()
  const mallory = await subscribe(orders, { price: 0, email: 'mallory@example.com' })
  const customer_id = mallory.subscription.customer_id
  const open = async () => (await orders.call(createCustomerSession, { customer_id }, mallory.seller)).token
  const [first, second] = [await open(), await open()]
  await orders.call(updatePortalCustomer, { name: 'Mallory' }, await verify(orders, first))
  await orders.call(updatePortalCustomer, { email: 'ada@example.com' }, await verify(orders, first))
  for (const token of [first, second]) await expect(verify(orders, token)).rejects.toThrow(InvalidToken)
  // Gateways would accept the sessions for some seconds. One is that of the checkout.
  const ended = [1, 2, 3].map(() => orders.nextEvent(customerSessionEnded))
  expect((await Promise.all(ended)).map(({ token_hash }) => token_hash)).toEqual(expect.arrayContaining([first, second].map(hashToken)))
  const third = await open()
  await orders.call(updateCustomer, { id: customer_id, email: `${randomUUID()}@example.com` }, mallory.seller)
  await expect(verify(orders, third)).rejects.toThrow(InvalidToken)
})
