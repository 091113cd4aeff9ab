import { randomUUID } from 'node:crypto'
import { listBenefits } from '@quittance/contracts/benefits'
import { listCheckouts } from '@quittance/contracts/checkouts'
import { listCustomers, updateCustomer } from '@quittance/contracts/customers'
import { listLicenseKeys, updateLicenseKey } from '@quittance/contracts/license-keys'
import { listOrders } from '@quittance/contracts/orders'
import { listPayments } from '@quittance/contracts/payments'
import { listProducts } from '@quittance/contracts/products'
import { createRefund, listRefunds } from '@quittance/contracts/refunds'
import { listSubscriptions, updateSubscription } from '@quittance/contracts/subscriptions'
import { userCaller } from '@quittance/testing/callers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createBenefitShop } from './sell-benefits.ts'
import { buyLicenseKey, createLicenseKeyShop } from './sell-license-keys.ts'
import { startOrders, type OrdersUnderTest } from './start-orders.ts'
import { buyPlan, subscribe, waitForSubscription, type Subscribed } from './subscribe.ts'

const ids = ({ items }: { items: readonly { id: string }[] }) => items.map(({ id }) => id)

describe('two customers of one seller', () => {
  let orders: OrdersUnderTest
  let first: Subscribed
  let second: Subscribed
  /** Of another seller; its customer has the external id of the first one. */
  let other: Subscribed
  const external = { external_customer_id: 'reader-1' }

  beforeAll(async () => {
    orders = await startOrders()
    first = await subscribe(orders)
    const { seller } = first
    await orders.call(updateCustomer, { id: first.subscription.customer_id, external_id: 'reader-1' }, seller)
    const bought = await buyPlan(orders, first)
    second = { ...bought, subscription: await waitForSubscription(orders, bought, { status: 'active' }) }
    const ending = { id: second.subscription.id, cancel_at_period_end: true, customer_cancellation_reason: 'too_expensive' } as const
    second.subscription = await orders.call(updateSubscription, ending, seller)
    other = await subscribe(orders)
    await orders.call(updateCustomer, { id: other.subscription.customer_id, external_id: 'reader-1' }, other.seller)
  })
  afterAll(() => orders[Symbol.asyncDispose]())

  test('subscriptions are listed by the external id of the customer, the status and the cancellation', async () => {
    const list = async (filters: object) => ids(await orders.call(listSubscriptions, filters, first.seller))
    const [kept, ending] = [first.subscription.id, second.subscription.id]
    const canceledAt = second.subscription.canceled_at as string
    expect(await list(external)).toEqual([kept])
    expect(await list({ external_customer_id: ['nobody', 'reader-1'] })).toEqual([kept])
    expect(await list({ external_customer_id: 'nobody' })).toEqual([])
    expect(await list({ status: ['past_due', 'unpaid'] })).toEqual([])
    expect(await list({ status: 'active' })).toHaveLength(2)
    expect(await list({ cancel_at_period_end: true })).toEqual([ending])
    expect(await list({ cancel_at_period_end: false })).toEqual([kept])
    expect(await list({ customer_cancellation_reason: ['too_expensive'] })).toEqual([ending])
    expect(await list({ customer_cancellation_reason: 'unused' })).toEqual([])
    expect(await list({ canceled_at_after: canceledAt, canceled_at_before: canceledAt })).toEqual([ending])
    expect(await list({ canceled_at_before: '2020-01-01T00:00:00Z' })).toEqual([])
    const person = userCaller({ userId: randomUUID(), organizationIds: [first.organizationId, other.organizationId] })
    const ofBoth = await orders.call(listSubscriptions, external, person)
    expect(ids(ofBoth).toSorted()).toEqual([kept, other.subscription.id].toSorted())
  })

  test('orders, checkouts, payments and refunds are listed by their customer or subscription', async () => {
    const { seller, subscription } = first
    const bySubscription = await orders.call(listOrders, { subscription_id: subscription.id }, seller)
    expect(bySubscription.items).toMatchObject([{ customer_id: subscription.customer_id }])
    const [order] = bySubscription.items
    expect(ids(await orders.call(listOrders, external, seller))).toEqual([order?.id])
    expect(ids(await orders.call(listCheckouts, external, seller))).toEqual([subscription.checkout_id])
    const payments = await orders.call(listPayments, { customer_id: subscription.customer_id }, seller)
    expect(payments.items).toMatchObject([{ order_id: order?.id }])
    const refund = await orders.call(createRefund, { order_id: order?.id ?? '', reason: 'other', amount: 100 }, seller)
    expect(ids(await orders.call(listRefunds, external, seller))).toEqual([refund.id])
    expect(ids(await orders.call(listRefunds, { external_customer_id: 'nobody' }, seller))).toEqual([])
  })

  test('customers are listed by whether they have a subscription, and by a part of their external id', async () => {
    expect(ids(await orders.call(listCustomers, { query: 'READER' }, first.seller))).toEqual([first.subscription.customer_id])
    const list = async (active: boolean) => ids(await orders.call(listCustomers, { active }, first.seller))
    expect(await list(false)).toEqual([])
    expect((await list(true)).toSorted()).toEqual([first, second].map(({ subscription }) => subscription.customer_id).toSorted())
    await orders.call(updateSubscription, { id: second.subscription.id, revoke: true }, first.seller)
    expect(await list(false)).toEqual([second.subscription.customer_id])
  })
})

test('license keys are listed by their status, benefits by their ids, and products by their visibility', async () => {
  await using orders = await startOrders()
  const shop = await createLicenseKeyShop(orders)
  const { licenseKey } = await buyLicenseKey(orders, shop)
  const list = async (status: 'granted' | 'disabled') => ids(await orders.call(listLicenseKeys, { status }, shop.seller))
  expect(await list('granted')).toEqual([licenseKey.id])
  await orders.call(updateLicenseKey, { id: licenseKey.id, status: 'disabled' }, shop.seller)
  expect([await list('granted'), await list('disabled')]).toEqual([[], [licenseKey.id]])

  const { seller } = await createBenefitShop(orders, ['Alpha', 'Beta'])
  const all = ids(await orders.call(listBenefits, {}, seller))
  expect(all).toHaveLength(2)
  expect(ids(await orders.call(listBenefits, { id: all[0] }, seller))).toEqual([all[0]])
  expect(ids(await orders.call(listBenefits, { exclude_id: [all[0] as string, randomUUID()] }, seller))).toEqual([all[1]])
  expect(ids(await orders.call(listProducts, { visibility: ['draft', 'private'] }, seller))).toEqual([])
  expect(ids(await orders.call(listProducts, { visibility: 'public' }, seller))).toHaveLength(1)
})
