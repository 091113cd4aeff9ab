import { randomUUID } from 'node:crypto'
import { deleteBenefit } from '@quittance/contracts/benefits'
import { confirmCheckout, createCheckout } from '@quittance/contracts/checkouts'
import { createCustomerSession } from '@quittance/contracts/customer-sessions'
import { deleteCustomer } from '@quittance/contracts/customers'
import { eventSequences } from '@quittance/contracts/event-sequences'
import { updateProductBenefits } from '@quittance/contracts/products'
import type { WebhookEventType } from '@quittance/contracts/webhook-event-types'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { buyProduct, createBenefitShop, type ShopWithBenefits } from './sell-benefits.ts'
import { startOrders, type OrdersUnderTest } from './start-orders.ts'
import { buyPlan, createPlan, waitForSubscription, type Terms } from './subscribe.ts'

/** Returns the types, after asserting that the contracts list them as the sequence of one change. */
function sequence(...types: WebhookEventType[]): WebhookEventType[] {
  expect(eventSequences.map((each) => each.types)).toContainEqual(types)
  return types
}

sequence('order.updated', 'order.paid', 'payment.updated')
const paid = ['order.updated', 'order.paid']
const active = sequence('subscription.updated', 'subscription.active')
const revoked = sequence('subscription.updated', 'subscription.canceled', 'subscription.revoked')

/** Returns the types of all committed events in the order of their publication. */
async function readOutbox(orders: OrdersUnderTest): Promise<string[]> {
  const events = await orders.rows<{ subject: string }>('select subject from outbox_messages order by position')
  return events.map(({ subject }) => subject.replace('event.', ''))
}

const dueWork = `
  select from payments where settled_at is null
  union all select from subscriptions where due_at <= now()
  union all select from benefits where deleted_at is not null and exists (
    select from benefit_grants g where g.benefit_id = benefits.id and g.revoked_at is null)`

/** Does the work and waits until exactly these events were committed since, in this order, and nothing is left to do. */
async function expectEvents(orders: OrdersUnderTest, work: () => Promise<unknown>, expected: readonly string[]): Promise<void> {
  const before = await readOutbox(orders)
  await work()
  await eventually(async () => {
    expect(await orders.rows(dueWork)).toEqual([])
    expect((await readOutbox(orders)).slice(before.length)).toEqual(expected)
  })
}

interface Purchase {
  productId: string
  token: string
  /** The free subscription to upgrade. */
  subscriptionId?: string
}

/** Buys by checkout without waiting for the payment. */
async function buy(orders: OrdersUnderTest, { seller }: ShopWithBenefits, { productId, token, subscriptionId }: Purchase): Promise<void> {
  const { client_secret } = await orders.call(createCheckout, { products: [productId], subscription_id: subscriptionId ?? null }, seller)
  const confirmation = { client_secret, customer_email: 'ada@example.com', confirmation_token_id: token }
  await orders.call(confirmCheckout, confirmation, { kind: 'anonymous' })
}

/** Creates a plan that grants the benefits of the shop and returns its id. */
async function addPlan(orders: OrdersUnderTest, { seller, benefits }: ShopWithBenefits, terms: Terms = {}): Promise<string> {
  const { id } = await createPlan(orders, seller, terms)
  await orders.call(updateProductBenefits, { id, benefits: benefits.map((benefit) => benefit.id) }, seller)
  return id
}

const newBuyer = ['checkout.created', 'customer.created', 'customer.state_changed']

test('a paid one-time order publishes the order, its grants and then the checkout', async () => {
  await using orders = await startOrders()
  const shop = await createBenefitShop(orders, ['Support'])
  await expectEvents(orders, () => buy(orders, shop, { productId: shop.product.id, token: 'ctoken_ok' }), [
    ...newBuyer,
    'order.created',
    'payment.created',
    'checkout.updated',
    ...paid,
    'benefit_grant.created',
    'customer.state_changed',
    'checkout.updated',
    'payment.updated',
  ])
})

test('a paid first period publishes the subscription, its grants, the order and then the checkout', async () => {
  await using orders = await startOrders()
  const shop = await createBenefitShop(orders, ['Support'])
  const productId = await addPlan(orders, shop)
  await expectEvents(orders, () => buy(orders, shop, { productId, token: 'ctoken_ok' }), [
    ...newBuyer,
    'subscription.created',
    'customer.state_changed',
    'order.created',
    'payment.created',
    'checkout.updated',
    ...active,
    'benefit_grant.created',
    'customer.state_changed',
    ...paid,
    'checkout.updated',
    'payment.updated',
  ])
})

test('a declined first period publishes the subscription and then the reopened checkout', async () => {
  await using orders = await startOrders()
  const shop = await createBenefitShop(orders, ['Support'])
  const productId = await addPlan(orders, shop)
  await expectEvents(orders, () => buy(orders, shop, { productId, token: 'ctoken_declined_later' }), [
    ...newBuyer,
    'subscription.created',
    'customer.state_changed',
    'order.created',
    'payment.created',
    'checkout.updated',
    'payment.updated',
    'subscription.updated',
    'customer.state_changed',
    'order.payment_failed',
    'checkout.updated',
    'payment.updated',
  ])
})

test.each([
  [
    'ctoken_ok',
    ['benefit_grant.created', 'subscription.updated', 'customer.state_changed', ...paid, 'checkout.updated', 'payment.updated'],
  ],
  ['ctoken_declined_later', ['payment.updated', 'order.payment_failed', 'checkout.updated', 'payment.updated']],
])('an upgrade paid with %s publishes the subscription before the order and the checkout', async (token, settled) => {
  await using orders = await startOrders()
  const shop = await createBenefitShop(orders, ['Support'])
  const { subscription } = await buyPlan(orders, shop, { price: 0 })
  const productId = await addPlan(orders, shop, { interval: 'year', price: 9000 })
  await expectEvents(orders, () => buy(orders, shop, { productId, token, subscriptionId: subscription.id }), [
    'checkout.created',
    'customer_session.ended',
    'order.created',
    'payment.created',
    'checkout.updated',
    ...settled,
  ])
})

test('a deleted customer loses sessions, subscriptions and grants, and the state is published last', async () => {
  await using orders = await startOrders()
  const shop = await createBenefitShop(orders, ['Support'])
  const email = `${randomUUID()}@example.com`
  await buyProduct(orders, shop, email)
  const bought = await buyPlan(orders, shop, { email, productId: await addPlan(orders, shop) })
  await waitForSubscription(orders, bought, { status: 'active' })
  const id = bought.subscription.customer_id
  await orders.call(createCustomerSession, { customer_id: id }, shop.seller)
  await expectEvents(orders, () => orders.call(deleteCustomer, { id }, shop.seller), [
    'customer.deleted',
    ...revoked,
    'benefit_grant.revoked',
    'customer.state_changed',
    'benefit_grant.revoked',
    'customer.state_changed',
  ])
  expect(await orders.rows('select from customer_sessions where customer_id = $1', [id])).toHaveLength(0)
})

test('a deleted benefit publishes its products, and a job its revoked grants afterwards', async () => {
  await using orders = await startOrders()
  const shop = await createBenefitShop(orders, ['Support'])
  await addPlan(orders, shop)
  await buyProduct(orders, shop)
  await expectEvents(orders, () => orders.call(deleteBenefit, { id: shop.benefits[0]?.id ?? '' }, shop.seller), [
    'benefit.updated',
    'product.updated',
    'product.updated',
    'benefit_grant.revoked',
    'customer.state_changed',
  ])
})
