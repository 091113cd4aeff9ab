import { randomUUID } from 'node:crypto'
import { updateBenefit } from '@quittance/contracts/benefits'
import { customerStateChanged, getCustomerState, getCustomerStateByExternalId } from '@quittance/contracts/customer-state'
import { createCustomer, deleteCustomer, updateCustomer } from '@quittance/contracts/customers'
import { Conflict, ResourceNotFound } from '@quittance/contracts/errors'
import { createProduct } from '@quittance/contracts/products'
import type { Order } from '@quittance/contracts/orders'
import { createRefund } from '@quittance/contracts/refunds'
import { organizationCaller, userCaller } from '@quittance/testing/callers'
import { updateSubscription } from '@quittance/contracts/subscriptions'
import { eventually } from '@quittance/testing/eventually'
import { scale } from '@quittance/testing/scale'
import { expect, test } from 'vitest'
import { buyProduct, createBenefitShop } from './sell-benefits.ts'
import { createPlan } from './subscribe.ts'
import { startOrders } from './start-orders.ts'

test('the state is the customer with current subscriptions and benefits, metadata included', async () => {
  await using orders = await startOrders()
  const shop = await createBenefitShop(orders, ['Alpha', 'Bravo'])
  const order = await buyProduct(orders, shop)
  const state = await orders.call(getCustomerState, { id: order.customer_id }, shop.seller)
  expect(state).toEqual({
    ...order.customer,
    active_subscriptions: [],
    granted_benefits: expect.anything(),
    active_meters: [],
  })
  expect(state.granted_benefits.map(({ benefit_id }) => benefit_id).toSorted()).toEqual(shop.benefits.map(({ id }) => id).toSorted())
  expect(state.granted_benefits).toContainEqual({
    id: expect.any(String),
    created_at: expect.any(String),
    modified_at: null,
    granted_at: expect.any(String),
    benefit_id: shop.benefits[0]?.id,
    benefit_type: 'custom',
    benefit_metadata: { key: 'Alpha' },
    properties: {},
  })
  await orders.call(updateBenefit, { id: shop.benefits[0]?.id ?? '', type: 'custom', metadata: { key: 'new' } }, shop.seller)
  const later = await orders.call(getCustomerState, { id: order.customer_id }, shop.seller)
  expect(later.granted_benefits.map(({ benefit_metadata }) => benefit_metadata)).toContainEqual({ key: 'new' })
  await orders.call(createRefund, { order_id: order.id, reason: 'other', amount: 1, revoke_benefits: true }, shop.seller)
  expect(await orders.call(getCustomerState, { id: order.customer_id }, shop.seller)).toMatchObject({ granted_benefits: [] })
})

test('the state contains a subscription only while it is active or in trial, as active', async () => {
  await using orders = await startOrders()
  const { seller, ...shop } = await orders.shop()
  const prices = [{ amount_type: 'fixed' as const, price_amount: 900 }]
  const monthly = await orders.call(createProduct, { name: 'Magazine', recurring_interval: 'month', prices }, seller)
  const { customer_id: id, subscription_id } = await buyProduct(orders, { ...shop, seller, product: monthly })
  const active = { id: subscription_id, status: 'active', amount: 900, product_id: monthly.id, price_id: monthly.prices[0]?.id, meters: [] }
  expect(await orders.call(getCustomerState, { id }, seller)).toMatchObject({ active_subscriptions: [active] })
  const shown: [string, object[]][] = [
    ['trialing', [{ ...active, trial_start: expect.any(String), trial_end: expect.any(String) }]],
    ['past_due', []],
  ]
  for (const [status, subscriptions] of shown) {
    await orders.rows(`update subscriptions set status = $1, trial_start = current_period_start, trial_end = current_period_end`, [status])
    expect(await orders.call(getCustomerState, { id }, seller)).toMatchObject({ active_subscriptions: subscriptions })
  }
})

test('publishes the state after every change of a customer', async () => {
  await using orders = await startOrders()
  const seller = organizationCaller(randomUUID())
  const customer = await orders.call(createCustomer, { email: 'ada@example.com', external_id: 'ada' }, seller)
  const nothing = { active_subscriptions: [], granted_benefits: [], active_meters: [] }
  expect(await orders.nextEvent(customerStateChanged)).toEqual({ ...customer, ...nothing })
  const renamed = await orders.call(updateCustomer, { id: customer.id, name: 'Ada' }, seller)
  expect(await orders.nextEvent(customerStateChanged)).toEqual({ ...renamed, ...nothing })
  await orders.call(deleteCustomer, { id: customer.id }, seller)
  expect(await orders.nextEvent(customerStateChanged)).toMatchObject({ id: customer.id, deleted_at: expect.any(String) })
  const kinds = ['created', 'updated', 'deleted'].flatMap((kind) => [`event.customer.${kind}`, customerStateChanged.subject])
  expect(orders.publishedEvents.map(({ subject }) => subject)).toEqual(kinds)
})

test('finds a state by the seller’s id of the customer and rejects an ambiguous one', async () => {
  await using orders = await startOrders()
  const organizationIds = [randomUUID(), randomUUID()]
  const [first, second] = organizationIds.map(organizationCaller) as [
    ReturnType<typeof organizationCaller>,
    ReturnType<typeof organizationCaller>,
  ]
  const customer = await orders.call(createCustomer, { email: 'ada@example.com', external_id: 'ada' }, first)
  const request = { external_id: 'ada' }
  const byId = await orders.call(getCustomerState, { id: customer.id }, first)
  expect(await orders.call(getCustomerStateByExternalId, request, first)).toEqual(byId)
  await expect(orders.call(getCustomerStateByExternalId, request, second)).rejects.toThrow(ResourceNotFound)
  await orders.call(createCustomer, { email: 'ada@example.com', external_id: 'ada' }, second)
  const person = userCaller({ userId: randomUUID(), organizationIds })
  await expect(orders.call(getCustomerStateByExternalId, request, person)).rejects.toThrow(Conflict)
})

test('another organization’s customer and a deleted one have no readable state', async () => {
  await using orders = await startOrders()
  const seller = organizationCaller(randomUUID())
  const { id } = await orders.call(createCustomer, { email: 'ada@example.com' }, seller)
  await expect(orders.call(getCustomerState, { id }, organizationCaller(randomUUID()))).rejects.toThrow(ResourceNotFound)
  await orders.call(deleteCustomer, { id }, seller)
  await expect(orders.call(getCustomerState, { id }, seller)).rejects.toThrow(ResourceNotFound)
})

test('after concurrent changes of one customer, the last published state is the one that holds', async () => {
  await using orders = await startOrders()
  const shop = await createBenefitShop(orders, ['Alpha'])
  const { seller } = shop
  const plan = await createPlan(orders, seller)
  const bought: Order[] = []
  for (let count = 0; count < scale(8, 30); count++) bought.push(await buyProduct(orders, shop))
  const { subscription_id: id, customer_id } = await buyProduct(orders, { ...shop, product: plan })
  const request = { reason: 'other', amount: 1, revoke_benefits: true } as const
  await Promise.all([
    ...bought.map((order) => orders.call(createRefund, { order_id: order.id, ...request }, seller)),
    orders.call(updateSubscription, { id: id ?? '', revoke: true }, seller),
    orders.call(updateCustomer, { id: customer_id, name: 'Ada King' }, seller),
  ])
  await eventually(async () => {
    expect(await orders.rows(`select from benefit_grants where revoked_at is null`)).toEqual([])
    expect(await orders.rows('select from outbox_messages where published_at is null')).toEqual([])
  })
  const last = `select payload::json as state from outbox_messages where subject = $1 order by position desc limit 1`
  const [published] = await orders.rows<{ state: unknown }>(last, [customerStateChanged.subject])
  expect(published?.state).toEqual(await orders.call(getCustomerState, { id: customer_id }, seller))
  expect(published?.state).toMatchObject({ name: 'Ada King', granted_benefits: [], active_subscriptions: [] })
})

test('of two changes at the same time, the one that waits publishes a state that contains both', async () => {
  await using orders = await startOrders()
  const shop = await createBenefitShop(orders, ['Alpha'])
  const { seller } = shop
  const plan = await createPlan(orders, seller)
  const { subscription_id: id, customer_id } = await buyProduct(orders, { ...shop, product: plan })
  // Neither change can commit before both have begun.
  const release = await orders.holdTransaction('lock table outbox_messages in share mode')
  const changes = [
    orders.call(updateCustomer, { id: customer_id, name: 'Ada King' }, seller),
    orders.call(updateSubscription, { id: id ?? '', revoke: true }, seller),
  ]
  await eventually(async () => expect(await orders.rows(waiting)).toEqual([{ count: 2 }]))
  await release()
  await Promise.all(changes)
  const published = await orders.rows<{ state: { name: string; active_subscriptions: unknown[] } }>(publishedStates, [
    customerStateChanged.subject,
  ])
  expect(published.at(-1)?.state).toMatchObject({ name: 'Ada King', active_subscriptions: [] })
})

const waiting = `select count(*)::int from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()
  and query !~ 'published_at'`
const publishedStates = `select payload::json as state from outbox_messages where subject = $1 order by position`
