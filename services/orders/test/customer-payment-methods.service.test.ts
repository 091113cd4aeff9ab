import { randomUUID } from 'node:crypto'
import type { Caller } from '@quittance/contracts/caller'
import {
  addCustomerPaymentMethod,
  deleteCustomerPaymentMethod,
  listCustomerPaymentMethods,
  PaymentMethodInUse,
  setDefaultCustomerPaymentMethod,
} from '@quittance/contracts/customer-payment-methods'
import { updateCustomerSubscription } from '@quittance/contracts/customer-subscriptions'
import { deleteCustomer } from '@quittance/contracts/customers'
import { createDiscount } from '@quittance/contracts/discounts'
import { Conflict, ResourceNotFound } from '@quittance/contracts/errors'
import { createProduct } from '@quittance/contracts/products'
import { revokeSubscription, updateSubscription } from '@quittance/contracts/subscriptions'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { startOrders, type OrdersUnderTest } from './start-orders.ts'
import { storeFurtherMethod } from './stored-method.ts'
import { advance, after, buyPlan, subscribe, waitForSubscription, type Subscribed } from './subscribe.ts'

const list = async (orders: OrdersUnderTest, buyer: Caller) => (await orders.call(listCustomerPaymentMethods, {}, buyer)).items

/** A subscriber with the method of the first payment and a further one. */
async function subscribeWithTwo(orders: OrdersUnderTest) {
  const subscribed = await subscribe(orders)
  const further = await storeFurtherMethod(orders, subscribed.subscription.customer_id, 'ctoken_slow')
  const first = (await list(orders, subscribed.buyer)).find((method) => method.default)
  return { ...subscribed, further, first: first?.id ?? '' }
}

const readUsed = (orders: OrdersUnderTest, { subscription }: Pick<Subscribed, 'subscription'>) =>
  orders.rows<{ payment_method_id: string; state: string }>(
    `select p.payment_method_id, p.state from payments p join orders o on o.id = p.order_id
     where o.subscription_id = $1 and o.billing_reason = 'subscription_cycle'`,
    [subscription.id],
  )

test('a customer lists the stored methods of the own payments, without anything to pay with', async () => {
  await using orders = await startOrders()
  const { buyer, subscription, further } = await subscribeWithTwo(orders)
  const methods = await list(orders, buyer)
  const card = { brand: 'visa', last4: '1111', exp_month: 1, exp_year: 2031, wallet: null }
  expect(methods.map((method) => method.default)).toEqual([false, true])
  expect(methods[0]).toEqual({
    id: further,
    created_at: expect.any(String),
    modified_at: null,
    customer_id: subscription.customer_id,
    processor: 'stripe',
    type: 'card',
    default: false,
    is_default: false,
    is_blocked: false,
    card,
    method_metadata: card,
  })
  expect(JSON.stringify(methods)).not.toContain('ctoken')
})

test('renewals are charged with the new default method', async () => {
  await using orders = await startOrders()
  const owned = await subscribeWithTwo(orders)
  await orders.rows('update subscriptions set payment_method_id = $1 where id = $2 returning 1', [owned.first, owned.subscription.id])
  const chosen = await orders.call(setDefaultCustomerPaymentMethod, { id: owned.further }, owned.buyer)
  expect(chosen).toMatchObject({ id: owned.further, default: true })
  expect((await list(orders, owned.buyer)).filter((method) => method.default)).toHaveLength(1)
  await advance(orders, owned, after(owned.subscription.current_period_end))
  await eventually(async () => expect(await readUsed(orders, owned)).toEqual([{ payment_method_id: owned.further, state: 'succeeded' }]))
})

test('a change to a dearer product is charged to the new default method', async () => {
  await using orders = await startOrders()
  const { seller, ...owned } = await subscribeWithTwo(orders)
  // As at a provider: the token of the first payment cannot be charged again.
  await orders.rows('update subscriptions set payment_token = null, payment_method_id = $1 returning 1', [owned.first])
  await orders.call(setDefaultCustomerPaymentMethod, { id: owned.further }, owned.buyer)
  const prices = [{ amount_type: 'fixed' as const, price_amount: 9_900 }]
  const dearer = await orders.call(createProduct, { name: 'Dearer', recurring_interval: 'month', prices }, seller)
  await orders.call(updateSubscription, { id: owned.subscription.id, product_id: dearer.id, proration_behavior: 'invoice' }, seller)
  await eventually(async () => {
    const charged = `select payment_method_id, state from payments where order_id = (select id from orders where billing_reason = 'subscription_update')`
    expect(await orders.rows(charged)).toEqual([{ payment_method_id: owned.further, state: 'succeeded' }])
  })
})

test('a method that a running subscription needs stays until another is the default; then it is gone, and detached at its provider', async () => {
  await using orders = await startOrders()
  const { buyer, first, further } = await subscribeWithTwo(orders)
  await expect(orders.call(deleteCustomerPaymentMethod, { id: first }, buyer)).rejects.toThrow(PaymentMethodInUse)
  await orders.call(setDefaultCustomerPaymentMethod, { id: further }, buyer)
  await orders.call(deleteCustomerPaymentMethod, { id: first }, buyer)
  expect((await list(orders, buyer)).map(({ id }) => id)).toEqual([further])
  await expect(orders.call(deleteCustomerPaymentMethod, { id: first }, buyer)).rejects.toThrow(ResourceNotFound)
  await expect(orders.call(setDefaultCustomerPaymentMethod, { id: first }, buyer)).rejects.toThrow(ResourceNotFound)
  await eventually(async () =>
    expect(await orders.rows('select status, detach_due_at from payment_methods where id = $1', [first])).toEqual([
      { status: 'detached', detach_due_at: null },
    ]),
  )
})

test('a method stays while its subscription costs nothing for a time, and can be deleted if it never costs anything', async () => {
  await using orders = await startOrders()
  const shop = await orders.shop()
  const { seller } = shop
  const all = { name: 'All', type: 'percentage' as const, basis_points: 10_000 }
  for (const duration of ['once', 'forever'] as const) {
    const { id: discountId } = await orders.call(createDiscount, { ...all, duration }, seller)
    const subscribed = await buyPlan(orders, shop, { discountId })
    await waitForSubscription(orders, subscribed, { status: 'active', amount: 0 })
    const { id } = await orders.call(addCustomerPaymentMethod, { confirmation_token_id: 'ctoken_ok' }, subscribed.buyer)
    await orders.call(setDefaultCustomerPaymentMethod, { id }, subscribed.buyer)
    const deletion = orders.call(deleteCustomerPaymentMethod, { id }, subscribed.buyer)
    if (duration === 'once') await expect(deletion).rejects.toThrow(PaymentMethodInUse)
    else await deletion
  }
})

test('a subscription whose method the customer deletes is charged to the default one', async () => {
  await using orders = await startOrders()
  const owned = await subscribeWithTwo(orders)
  await orders.rows('update subscriptions set payment_token = null returning 1')
  // The default method is a fallback for a typed address only after the customer chose something for the subscription.
  await orders.rows('update checkouts set is_customer_proven = false returning 1')
  await orders.call(updateCustomerSubscription, { id: owned.subscription.id, payment_method_id: owned.further }, owned.buyer)
  await orders.call(deleteCustomerPaymentMethod, { id: owned.further }, owned.buyer)
  await advance(orders, owned, after(owned.subscription.current_period_end))
  await eventually(async () => expect(await readUsed(orders, owned)).toEqual([{ payment_method_id: owned.first, state: 'succeeded' }]))
})

test('after the end of the subscription the last method can be deleted', async () => {
  await using orders = await startOrders()
  const subscribed = await subscribe(orders)
  const { buyer, seller, subscription } = subscribed
  const [only] = await list(orders, buyer)
  await orders.call(revokeSubscription, { id: subscription.id }, seller)
  await waitForSubscription(orders, subscribed, { status: 'canceled' })
  await orders.call(deleteCustomerPaymentMethod, { id: only?.id ?? '' }, buyer)
  expect(await list(orders, buyer)).toEqual([])
})

test('methods of another customer, and any in a session bound to a checkout, are not found', async () => {
  await using orders = await startOrders()
  const [ada, bob] = [await subscribeWithTwo(orders), await subscribeWithTwo(orders)]
  const bound = { ...ada.buyer, checkout_id: ada.subscription.checkout_id ?? randomUUID() } as Caller
  expect(await list(orders, bound)).toEqual([])
  for (const [caller, id] of [
    [bob.buyer, ada.further],
    [bound, ada.further],
  ] as const) {
    await expect(orders.call(deleteCustomerPaymentMethod, { id }, caller)).rejects.toThrow(ResourceNotFound)
    await expect(orders.call(setDefaultCustomerPaymentMethod, { id }, caller)).rejects.toThrow(ResourceNotFound)
  }
  expect((await list(orders, ada.buyer)).map((method) => method.default)).toEqual([false, true])
})

test('a method with a disputed payment cannot be the default, and can be deleted', async () => {
  await using orders = await startOrders()
  const { buyer, further } = await subscribeWithTwo(orders)
  await orders.rows(`update payment_methods set status = 'blocked' where id = $1 returning 1`, [further])
  await expect(orders.call(setDefaultCustomerPaymentMethod, { id: further }, buyer)).rejects.toThrow(Conflict)
  expect((await list(orders, buyer)).find(({ id }) => id === further)).toMatchObject({ is_blocked: true })
  await orders.call(deleteCustomerPaymentMethod, { id: further }, buyer)
})

test('deleting a customer detaches all methods', async () => {
  await using orders = await startOrders()
  const { seller, subscription } = await subscribeWithTwo(orders)
  await orders.call(deleteCustomer, { id: subscription.customer_id }, seller)
  await eventually(async () =>
    expect(
      await orders.rows('select distinct status, is_default, detach_due_at from payment_methods where customer_id = $1', [
        subscription.customer_id,
      ]),
    ).toEqual([{ status: 'detached', is_default: false, detach_due_at: null }]),
  )
})
