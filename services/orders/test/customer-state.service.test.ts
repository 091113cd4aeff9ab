import { randomUUID } from 'node:crypto'
import { updateBenefit } from '@quittance/contracts/benefits'
import { customerStateChanged, getCustomerState, getCustomerStateByExternalId } from '@quittance/contracts/customer-state'
import { createCustomer, deleteCustomer, updateCustomer } from '@quittance/contracts/customers'
import { Conflict, ResourceNotFound } from '@quittance/contracts/errors'
import { createProduct } from '@quittance/contracts/products'
import { createRefund } from '@quittance/contracts/refunds'
import { organizationCaller, userCaller } from '@quittance/testing/callers'
import { expect, test } from 'vitest'
import { sell, shopWithBenefits } from './sell-benefits.ts'
import { startOrders } from './start-orders.ts'

test('the state of a customer is the customer with what they have now, benefit metadata included', async () => {
  await using orders = await startOrders()
  const shop = await shopWithBenefits(orders, ['Alpha', 'Bravo'])
  const order = await sell(orders, shop)
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

test('a subscription is in the state while it is active, and not otherwise', async () => {
  await using orders = await startOrders()
  const { seller, ...shop } = await orders.shop()
  const prices = [{ amount_type: 'fixed' as const, price_amount: 900 }]
  const monthly = await orders.call(createProduct, { name: 'Magazine', recurring_interval: 'month', prices }, seller)
  const { customer_id: id, subscription_id } = await sell(orders, { ...shop, seller, product: monthly })
  const active = { id: subscription_id, status: 'active', amount: 900, product_id: monthly.id, price_id: monthly.prices[0]?.id, meters: [] }
  expect(await orders.call(getCustomerState, { id }, seller)).toMatchObject({ active_subscriptions: [active] })
  for (const status of ['trialing', 'past_due']) {
    await orders.rows('update subscriptions set status = $1', [status])
    expect(await orders.call(getCustomerState, { id }, seller)).toMatchObject({ active_subscriptions: [] })
  }
})

test('every change of a customer is followed by their state', async () => {
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
  expect(orders.said.map(({ subject }) => subject)).toEqual(kinds)
})

test('a state is found by your own id of the customer; which of several is not guessed', async () => {
  await using orders = await startOrders()
  const organizationIds = [randomUUID(), randomUUID()]
  const [first, second] = organizationIds.map(organizationCaller) as [
    ReturnType<typeof organizationCaller>,
    ReturnType<typeof organizationCaller>,
  ]
  const customer = await orders.call(createCustomer, { email: 'ada@example.com', external_id: 'ada' }, first)
  const asked = { external_id: 'ada' }
  const byId = await orders.call(getCustomerState, { id: customer.id }, first)
  expect(await orders.call(getCustomerStateByExternalId, asked, first)).toEqual(byId)
  await expect(orders.call(getCustomerStateByExternalId, asked, second)).rejects.toThrow(ResourceNotFound)
  await orders.call(createCustomer, { email: 'ada@example.com', external_id: 'ada' }, second)
  const person = userCaller({ userId: randomUUID(), organizationIds })
  await expect(orders.call(getCustomerStateByExternalId, asked, person)).rejects.toThrow(Conflict)
})

test('another organization’s customer, and a deleted one, have no state to be read', async () => {
  await using orders = await startOrders()
  const seller = organizationCaller(randomUUID())
  const { id } = await orders.call(createCustomer, { email: 'ada@example.com' }, seller)
  await expect(orders.call(getCustomerState, { id }, organizationCaller(randomUUID()))).rejects.toThrow(ResourceNotFound)
  await orders.call(deleteCustomer, { id }, seller)
  await expect(orders.call(getCustomerState, { id }, seller)).rejects.toThrow(ResourceNotFound)
})
