import { benefitGrantCreated, benefitGrantRevoked, listBenefitGrants, type BenefitGrantWebhook } from '@quittance/contracts/benefit-grants'
import { deleteBenefit } from '@quittance/contracts/benefits'
import { customerStateChanged, type CustomerState } from '@quittance/contracts/customer-state'
import { deleteCustomer } from '@quittance/contracts/customers'
import { createProduct, updateProductBenefits } from '@quittance/contracts/products'
import { createRefund } from '@quittance/contracts/refunds'
import { eventually } from '@quittance/testing/eventually'
import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { buyProduct, createBenefitShop } from './sell-benefits.ts'
import { startOrders, type OrdersUnderTest } from './start-orders.ts'

/** Returns the published grant and state events in order, once the last state matches. */
async function waitForGrantEvents(orders: OrdersUnderTest, last: (state: CustomerState) => boolean) {
  const events = () =>
    orders.publishedEvents.filter(({ subject }) => subject.startsWith('event.benefit_grant.') || subject === customerStateChanged.subject)
  return eventually(() => {
    const latest = events().at(-1)
    if (latest?.subject !== customerStateChanged.subject || !last(latest.payload as CustomerState))
      throw new Error('more events are expected')
    return events()
  })
}

test('a paid order grants the benefits of its product in order, followed by the state', async () => {
  await using orders = await startOrders()
  const shop = await createBenefitShop(orders, ['Alpha', 'Bravo'])
  const order = await buyProduct(orders, shop)
  const events = await waitForGrantEvents(orders, (state) => state.granted_benefits.length === 2)
  expect(events.map(({ subject }) => subject.replace('event.', ''))).toEqual([
    'customer.state_changed',
    'benefit_grant.created',
    'benefit_grant.created',
    'customer.state_changed',
  ])
  const grants = events.slice(1, 3).map(({ payload }) => payload as BenefitGrantWebhook)
  expect(grants.map(({ benefit }) => benefit)).toEqual(shop.benefits)
  expect(await orders.nextEvent(benefitGrantCreated)).toMatchObject({
    order_id: order.id,
    subscription_id: null,
    customer_id: order.customer_id,
    is_granted: true,
    is_revoked: false,
    revoked_at: null,
    previous_properties: null,
    properties: {},
    customer: { email: 'ada@example.com' },
  })
  const id = shop.benefits[0]?.id ?? ''
  const { items } = await orders.call(listBenefitGrants, { id }, shop.seller)
  expect(items).toMatchObject([{ id: grants[0]?.id, order_id: order.id, user_id: order.customer_id, error: null }])
})

test('an order with nothing to pay grants like a paid one; an unpaid one grants nothing', async () => {
  await using orders = await startOrders()
  const { seller, benefits, ...shop } = await createBenefitShop(orders, ['Alpha'])
  const prices = [{ amount_type: 'free' as const }]
  const free = await orders.call(createProduct, { name: 'Sample', recurring_interval: null, prices }, seller)
  await orders.call(updateProductBenefits, { id: free.id, benefits: benefits.map(({ id }) => id) }, seller)
  const order = await buyProduct(orders, { ...shop, seller, product: free })
  expect(await orders.rows('select order_id from benefit_grants')).toEqual([{ order_id: order.id }])
  await orders.pendingOrder()
  expect(await orders.rows('select from benefit_grants')).toHaveLength(1)
})

test('grants a benefit once per order and customer, and again for a second order', async () => {
  await using orders = await startOrders()
  const shop = await createBenefitShop(orders, ['Alpha'])
  await buyProduct(orders, shop)
  await buyProduct(orders, shop)
  const again = `insert into benefit_grants (id, created_at, organization_id, benefit_id, customer_id, order_id, granted_at)
    select gen_random_uuid(), now(), organization_id, benefit_id, customer_id, order_id, now() from benefit_grants`
  await expect(orders.rows(again)).rejects.toThrow('benefit_grants_once_per_order')
  expect(await orders.rows('select from benefit_grants')).toHaveLength(2)
})

test('a refund revokes the benefits of its order only if requested', async () => {
  await using orders = await startOrders()
  const shop = await createBenefitShop(orders, ['Alpha', 'Bravo'])
  const order = await buyProduct(orders, shop)
  const other = await buyProduct(orders, shop)
  const reason = 'customer_request' as const
  await orders.call(createRefund, { order_id: order.id, reason, amount: 100 }, shop.seller)
  expect(await orders.rows('select from benefit_grants where revoked_at is not null')).toHaveLength(0)
  await orders.call(createRefund, { order_id: order.id, reason, amount: 100, revoke_benefits: true }, shop.seller)
  const revoked = await orders.nextEvent(benefitGrantRevoked)
  expect(revoked).toMatchObject({ order_id: order.id, is_granted: false, is_revoked: true, granted_at: null })
  const events = await waitForGrantEvents(orders, (state) => state.granted_benefits.length === 2)
  expect(events.slice(-3).map(({ subject }) => subject.replace('event.', ''))).toEqual([
    'benefit_grant.revoked',
    'benefit_grant.revoked',
    'customer.state_changed',
  ])
  expect(await orders.rows('select distinct order_id from benefit_grants where revoked_at is null')).toEqual([{ order_id: other.id }])
  const before = orders.publishedEvents.length
  await orders.call(createRefund, { order_id: order.id, reason, amount: 100, revoke_benefits: true }, shop.seller)
  await eventually(() => expect(orders.publishedEvents.slice(before).map(({ subject }) => subject)).toContain('event.order.refunded'))
  expect(orders.publishedEvents.slice(before).map(({ subject }) => subject)).not.toContain(benefitGrantRevoked.subject)
})

test('deleting a benefit revokes its grants and publishes that; other benefits stay', async () => {
  await using orders = await startOrders()
  const shop = await createBenefitShop(orders, ['Alpha', 'Bravo'])
  const buyers = [await buyProduct(orders, shop), await buyProduct(orders, shop, 'bob@example.com')].map(({ customer_id }) => customer_id)
  await orders.call(deleteBenefit, { id: shop.benefits[0]?.id ?? '' }, shop.seller)
  const published = [await orders.nextEvent(benefitGrantRevoked), await orders.nextEvent(benefitGrantRevoked)]
  expect(published.map(({ customer_id }) => customer_id).toSorted()).toEqual(buyers.toSorted())
  expect(published.map(({ benefit }) => benefit.description)).toEqual(['Alpha', 'Alpha'])
  const left = await orders.rows('select benefit_id from benefit_grants where revoked_at is null')
  expect(left).toEqual([{ benefit_id: shop.benefits[1]?.id }, { benefit_id: shop.benefits[1]?.id }])
})

test('revokes and publishes each of many grants of a deleted benefit once, despite a stop', async () => {
  await using orders = await startOrders()
  const shop = await createBenefitShop(orders, ['Alpha'])
  const { id } = await buyProduct(orders, shop)
  await grantToOthers(orders, { orderId: id, benefitId: shop.benefits[0]?.id ?? '' })
  await orders.call(deleteBenefit, { id: shop.benefits[0]?.id ?? '' }, shop.seller)
  await orders.restart()
  const published = () =>
    orders.publishedEvents
      .filter(({ subject }) => subject === benefitGrantRevoked.subject)
      .map(({ payload }) => (payload as BenefitGrantWebhook).customer_id)
  await eventually(() => expect(published()).toHaveLength(250))
  expect(new Set(published()).size).toBe(250)
  expect(await orders.rows('select from benefit_grants where revoked_at is null')).toHaveLength(0)
})

/** Grants a benefit, in the database, to 249 more customers. */
async function grantToOthers(orders: OrdersUnderTest, { orderId, benefitId }: { orderId: string; benefitId: string }): Promise<void> {
  await orders.rows(
    `insert into customers (id, created_at, organization_id, email)
    select gen_random_uuid(), now(), organization_id, n || '@example.com' from generate_series(1, 249) n, benefits where id = $1`,
    [benefitId],
  )
  await orders.rows(
    `insert into benefit_grants (id, created_at, organization_id, benefit_id, customer_id, order_id, granted_at)
    select gen_random_uuid(), now(), b.organization_id, b.id, c.id, $1, now()
    from benefits b join customers c on c.organization_id = b.organization_id where b.id = $2 and c.email <> 'ada@example.com'`,
    [orderId, benefitId],
  )
}

test('many grants of a deleted benefit do not delay those of another organization', async () => {
  await using orders = await startOrders()
  const shops = [await createBenefitShop(orders, ['Alpha']), await createBenefitShop(orders, ['Alpha'])]
  const [large, small] = shops.toSorted((a, b) => (a.organizationId < b.organizationId ? -1 : 1)) as [(typeof shops)[0], (typeof shops)[0]]
  const { id } = await buyProduct(orders, large)
  await buyProduct(orders, small)
  const benefitId = large.benefits[0]?.id ?? ''
  await grantToOthers(orders, { orderId: id, benefitId })
  // The job finds both at once.
  await orders.rows('update benefits set deleted_at = now() where id = $1', [benefitId])
  await orders.call(deleteBenefit, { id: small.benefits[0]?.id ?? '' }, small.seller)
  await eventually(async () => expect(await orders.rows('select from benefit_grants where revoked_at is null')).toEqual([]))
  const before = `select count(*)::int as n from benefit_grants g, benefit_grants other
    where g.benefit_id = $1 and other.benefit_id = $2 and g.revoked_at < other.revoked_at`
  const [revoked] = await orders.rows<{ n: number }>(before, [benefitId, small.benefits[0]?.id])
  expect(revoked?.n).toBeLessThan(100)
})

test('a grant of a deleted benefit that cannot be revoked does not delay those of another organization', async () => {
  await using orders = await startOrders()
  const shops = [await createBenefitShop(orders, ['Alpha']), await createBenefitShop(orders, ['Alpha'])]
  const [first, second] = shops.toSorted((a, b) => (a.organizationId < b.organizationId ? -1 : 1)) as [(typeof shops)[0], (typeof shops)[0]]
  const { customer_id } = await buyProduct(orders, first)
  await buyProduct(orders, second)
  const release = await orders.holdTransaction(`select from customers where id = '${customer_id}' for update`)
  // The job finds both at once, the locked one first.
  await orders.rows('update benefits set deleted_at = now() where id = $1', [first.benefits[0]?.id])
  await orders.call(deleteBenefit, { id: second.benefits[0]?.id ?? '' }, second.seller)
  const isLeft = 'select from benefit_grants where revoked_at is null and organization_id = $1'
  await eventually(async () => expect(await orders.rows(isLeft, [second.organizationId])).toEqual([]))
  expect(await orders.rows(isLeft, [first.organizationId])).toHaveLength(1)
  await release()
  await eventually(async () => expect(await orders.rows(isLeft, [first.organizationId])).toEqual([]))
})

test('a deleted customer loses all benefits before the last state; later payments grant none', async () => {
  await using orders = await startOrders()
  const shop = await createBenefitShop(orders, ['Alpha'])
  const { customer_id } = await buyProduct(orders, shop)
  await orders.call(deleteCustomer, { id: customer_id }, shop.seller)
  const events = await waitForGrantEvents(orders, (state) => state.deleted_at !== null)
  expect(events.slice(-2)).toMatchObject([
    { subject: benefitGrantRevoked.subject, payload: { customer_id, customer: { deleted_at: expect.any(String) } } },
    { subject: customerStateChanged.subject, payload: { id: customer_id, granted_benefits: [] } },
  ])
  const late = await orders.pendingOrder()
  // The provider replied that it is in progress: nothing else writes the row from here on.
  await eventually(async () =>
    expect(await orders.rows(`select from payments where state = 'processing' and leased_until is null`)).toHaveLength(1),
  )
  await orders.rows('update product_benefits set product_id = $1', [late.product.id])
  await orders.call(deleteCustomer, { id: late.order.customer_id }, late.seller)
  await orders.rows(`update sandbox_objects set status = 'succeeded' where token = 'ctoken_pending' returning 1`)
  await orders.rows(`update payments set next_check_at = now() where order_id = $1`, [late.order.id])
  await eventually(async () => {
    const [row] = await orders.rows<{ status: string }>('select status from orders where id = $1', [late.order.id])
    expect(row?.status).toBe('paid')
  })
  expect(await orders.rows('select from benefit_grants where revoked_at is null')).toHaveLength(0)
})

test('lists the grants of a benefit newest first, by customer and by granted state', async () => {
  await using orders = await startOrders()
  const shop = await createBenefitShop(orders, ['Alpha'])
  const ada = await buyProduct(orders, shop)
  const bob = await buyProduct(orders, shop, 'bob@example.com')
  const refund = { order_id: ada.id, reason: 'other' as const, amount: 100, revoke_benefits: true }
  await orders.call(createRefund, refund, shop.seller)
  const id = shop.benefits[0]?.id ?? ''
  const list = async (filters: object) =>
    (await orders.call(listBenefitGrants, { id, ...filters }, shop.seller)).items.map(({ customer }) => customer.email)
  expect(await list({})).toEqual(['bob@example.com', 'ada@example.com'])
  expect(await list({ is_granted: true })).toEqual(['bob@example.com'])
  expect(await list({ is_granted: false })).toEqual(['ada@example.com'])
  expect(await list({ customer_id: [bob.customer_id, randomUUID()] })).toEqual(['bob@example.com'])
  expect(await list({ limit: 1, page: 2 })).toEqual(['ada@example.com'])
})
