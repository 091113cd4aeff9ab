import { randomUUID } from 'node:crypto'
import { getCustomerOrder, listCustomerOrders } from '@quittance/contracts/customer-portal'
import {
  cancelCustomerSubscription,
  getCustomerSubscription,
  listCustomerSubscriptions,
  updateCustomerSubscription,
  UpdateSubscriptionNotAllowed,
} from '@quittance/contracts/customer-subscriptions'
import { BadRequest, RequestValidationError, ResourceNotFound } from '@quittance/contracts/errors'
import { organizationUpdated } from '@quittance/contracts/organizations'
import {
  AlreadyCanceledSubscription,
  getSubscription,
  ResourceUnavailable,
  revokeSubscription,
  SubscriptionUpdatePending,
  subscriptionCanceled,
} from '@quittance/contracts/subscriptions'
import { customerCaller } from '@quittance/testing/callers'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { buildOrganization, startOrders } from './start-orders.ts'
import { createPlan, buyPlan, subscribe } from './subscribe.ts'

const sellersOwn = ['metadata', 'custom_field_data', 'customer', 'discount']

test('a customer reads subscriptions with product and seller, without the seller’s data', async () => {
  await using orders = await startOrders()
  const { subscription, buyer, product, seller } = await subscribe(orders)
  const { id } = subscription
  const mine = await orders.call(getCustomerSubscription, { id }, buyer)
  expect(mine).toMatchObject({ id, status: 'active', price_id: subscription.price_id, product: { organization: { slug: 'acme-books' } } })
  for (const key of sellersOwn) expect(mine).not.toHaveProperty(key)
  const { items } = await orders.call(listCustomerOrders, { subscription_id: id }, buyer)
  expect(await orders.call(getCustomerOrder, { id: items[0]?.id ?? '' }, buyer)).toMatchObject({ subscription: { id, status: 'active' } })
  expect(items[0]?.subscription).not.toHaveProperty('metadata')
  await buyPlan(orders, { organizationId: buyer.kind === 'customer' ? buyer.organization_id : '', seller, product })
  const list = async (request: Parameters<typeof orders.call<typeof listCustomerSubscriptions>>[1]) =>
    (await orders.call(listCustomerSubscriptions, request, buyer)).items.map((found) => found.id)
  expect(await list({})).toEqual([id])
  expect(await list({ active: true, product_id: product.id, query: 'PLAN' })).toEqual([id])
  expect(await list({ active: false })).toEqual([])
  expect(await list({ organization_id: randomUUID() })).toEqual([])
  for (const word of ['started_at', 'amount', 'status', 'organization', '-product' as 'product'] as const) {
    expect(await list({ sorting: word })).toEqual([id])
  }
})

test('a customer cancels at the period end with a reason; withdrawn, the subscription continues', async () => {
  await using orders = await startOrders()
  const { subscription, buyer, seller } = await subscribe(orders)
  const { id } = subscription
  const canceled = await orders.call(cancelCustomerSubscription, { id }, buyer)
  expect(canceled).toMatchObject({ status: 'active', cancel_at_period_end: true, ends_at: subscription.current_period_end })
  expect(await orders.nextEvent(subscriptionCanceled)).toMatchObject({ id })
  await expect(orders.call(cancelCustomerSubscription, { id }, buyer)).rejects.toThrow(AlreadyCanceledSubscription)
  const why = { cancellation_reason: 'low_quality' as const, cancellation_comment: 'It broke.' }
  await orders.call(updateCustomerSubscription, { id, ...why }, buyer)
  expect(await orders.call(getSubscription, { id }, seller)).toMatchObject({
    customer_cancellation_reason: 'low_quality',
    customer_cancellation_comment: 'It broke.',
  })
  const back = await orders.call(updateCustomerSubscription, { id, cancel_at_period_end: false }, buyer)
  expect(back).toMatchObject({ cancel_at_period_end: false, ends_at: null })
  const again = await orders.call(updateCustomerSubscription, { id, cancel_at_period_end: true, ...why }, buyer)
  expect(again).toMatchObject({ cancel_at_period_end: true, customer_cancellation_reason: 'low_quality' })
})

test('rejects a second cancellation, a withdrawal without one, and one after the end', async () => {
  await using orders = await startOrders()
  const { subscription, buyer, seller } = await subscribe(orders)
  const { id } = subscription
  const change = (cancel_at_period_end: boolean) => orders.call(updateCustomerSubscription, { id, cancel_at_period_end }, buyer)
  await expect(change(false)).rejects.toThrow(BadRequest)
  await change(true)
  await expect(change(true)).rejects.toThrow(AlreadyCanceledSubscription)
  await orders.call(revokeSubscription, { id }, seller)
  await expect(change(false)).rejects.toThrow(ResourceUnavailable)
})

test('a customer changes the product if the seller allows it', async () => {
  await using orders = await startOrders()
  const { subscription, buyer, seller, product, organizationId } = await subscribe(orders)
  const { id } = subscription
  const larger = await createPlan(orders, seller, { price: 2500 })
  const changed = await orders.call(updateCustomerSubscription, { id, product_id: larger.id }, buyer)
  expect(changed).toMatchObject({ amount: 2500, product: { id: larger.id } })
  await expect(orders.call(updateCustomerSubscription, { id, product_id: randomUUID() }, buyer)).rejects.toThrow(RequestValidationError)
  const pending = await buyPlan(orders, { organizationId, seller, product }, { token: 'ctoken_pending' })
  const early = { id: pending.subscription.id, product_id: larger.id }
  await expect(orders.call(updateCustomerSubscription, early, pending.buyer)).rejects.toThrow(SubscriptionUpdatePending)
  const strict = buildOrganization(organizationId)
  strict.subscription_settings.allow_customer_updates = false
  await orders.emit(organizationUpdated, strict, { organizationId, aggregateId: organizationId })
  await eventually(() =>
    expect(orders.call(updateCustomerSubscription, { id, product_id: randomUUID() }, buyer)).rejects.toThrow(UpdateSubscriptionNotAllowed),
  )
})

test('returns not found for another customer’s subscription from every operation, unchanged', async () => {
  await using orders = await startOrders()
  const { subscription, organizationId, seller } = await subscribe(orders)
  const { id } = subscription
  const strangers = [
    customerCaller({ organizationId, customerId: randomUUID() }),
    customerCaller({ organizationId: randomUUID(), customerId: subscription.customer_id }),
  ]
  for (const stranger of strangers) {
    await expect(orders.call(getCustomerSubscription, { id }, stranger)).rejects.toThrow(ResourceNotFound)
    await expect(orders.call(updateCustomerSubscription, { id, cancel_at_period_end: true }, stranger)).rejects.toThrow(ResourceNotFound)
    await expect(orders.call(cancelCustomerSubscription, { id }, stranger)).rejects.toThrow(ResourceNotFound)
    expect((await orders.call(listCustomerSubscriptions, {}, stranger)).items).toEqual([])
  }
  expect(await orders.call(getSubscription, { id }, seller)).toMatchObject({ cancel_at_period_end: false })
})
