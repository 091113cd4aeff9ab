import { benefitGrantCreated, benefitGrantRevoked, benefitGrantUpdated } from '@quittance/contracts/benefit-grants'
import { createBenefit, deleteBenefit } from '@quittance/contracts/benefits'
import { customerStateChanged, getCustomerState } from '@quittance/contracts/customer-state'
import { listLicenseKeys } from '@quittance/contracts/license-keys'
import { updateProductBenefits } from '@quittance/contracts/products'
import { updateSubscription } from '@quittance/contracts/subscriptions'
import { connectTo } from '@quittance/testing/database'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { endSync, readPage } from '../src/subscriptions/benefit-syncs.ts'
import { readEvents } from './read-events.ts'
import { buyProduct, createBenefitShop } from './sell-benefits.ts'
import { startOrders, type OrdersUnderTest } from './start-orders.ts'
import { advance, after, buyPlan, createPlan, declineInProgress, replaceMethods, waitForSubscription, type Terms } from './subscribe.ts'

/** Creates a shop with two benefits and a plan with the first of them. */
async function createPlanWithBenefit(orders: OrdersUnderTest) {
  const shop = await createBenefitShop(orders, ['Forum', 'Support'])
  const [forum, support] = shop.benefits.map(({ id }) => id) as [string, string]
  const plan = await createPlan(orders, shop.seller)
  const put = (benefits: string[], id = plan.id) => orders.call(updateProductBenefits, { id, benefits }, shop.seller)
  await put([forum])
  await waitForEnd(orders)
  return { ...shop, plan, forum, support, put }
}

type PlanShop = Awaited<ReturnType<typeof createPlanWithBenefit>>

async function buyActive(orders: OrdersUnderTest, shop: PlanShop, terms: Terms = {}) {
  const bought = await buyPlan(orders, shop, { productId: shop.plan.id, ...terms })
  const subscription = await waitForSubscription(orders, bought, { status: 'active' })
  return { ...bought, subscription, granted: () => listGranted(orders, shop, subscription.customer_id) }
}

async function listGranted(orders: OrdersUnderTest, { seller }: Pick<PlanShop, 'seller'>, id: string): Promise<string[]> {
  return (await orders.call(getCustomerState, { id }, seller)).granted_benefits.map(({ benefit_id }) => benefit_id)
}

/** Waits until no product has changed benefits that the job has not handled. */
const waitForEnd = (orders: OrdersUnderTest) =>
  eventually(async () => expect(await orders.rows('select id from benefit_syncs')).toEqual([]))

const wake = (orders: OrdersUnderTest) => orders.rows(`select pg_notify('wake', 'sync-product-benefits')`)

test('existing subscribers get added benefits and lose removed ones, with the events, once per customer', async () => {
  await using orders = await startOrders()
  const shop = await createPlanWithBenefit(orders)
  const { granted, subscription } = await buyActive(orders, shop)
  const { id, customer_id: customerId } = subscription
  await orders.call(updateSubscription, { id, cancel_at_period_end: true }, shop.seller)
  const read = async (subject: string) => (await readEvents(orders, subject)).filter(({ aggregate_id }) => aggregate_id === customerId)
  const before = (await read(customerStateChanged.subject)).length
  await shop.put([shop.support])
  await waitForEnd(orders)
  expect(await granted()).toEqual([shop.support])
  expect((await read(benefitGrantRevoked.subject)).map(({ payload }) => payload.benefit_id)).toEqual([shop.forum])
  expect((await read(benefitGrantCreated.subject)).map(({ payload }) => payload.benefit_id)).toEqual([shop.forum, shop.support])
  const states = (await read(customerStateChanged.subject)).slice(before)
  expect(states.map(({ payload }) => payload.granted_benefits.map((grant: { benefit_id: string }) => grant.benefit_id))).toEqual([
    [shop.support],
  ])
  await shop.put([shop.support])
  await waitForEnd(orders)
  expect(await read(customerStateChanged.subject)).toHaveLength(before + 1)
})

test('grants of one-time orders and subscriptions without access stay, and a deleted benefit is left to its job', async () => {
  await using orders = await startOrders()
  const shop = await createPlanWithBenefit(orders)
  const order = await buyProduct(orders, shop)
  const owing = await buyActive(orders, shop, { token: 'ctoken_once' })
  await advance(orders, shop, after(owing.subscription.current_period_end))
  await waitForSubscription(orders, owing, { status: 'past_due' })
  await shop.put([], shop.product.id)
  await shop.put([shop.forum, shop.support])
  await waitForEnd(orders)
  expect(await listGranted(orders, shop, order.customer_id)).toHaveLength(2)
  expect(await owing.granted()).toEqual([])
  await orders.call(deleteBenefit, { id: shop.support }, shop.seller)
  expect(await orders.rows('select id from benefit_syncs')).toEqual([])
  await replaceMethods(orders, 'ctoken_ok')
  await advance(orders, shop, after(owing.subscription.current_period_end, 2))
  await eventually(async () => expect(await owing.granted()).toEqual([shop.forum]))
})

test('a removed license key is revoked, and the same key is granted when its benefit returns', async () => {
  await using orders = await startOrders()
  const shop = await createPlanWithBenefit(orders)
  const draft = { type: 'license_keys' as const, description: 'The app', properties: {} }
  const { id: key } = await orders.call(createBenefit, draft, shop.seller)
  await shop.put([key])
  const { granted, subscription } = await buyActive(orders, shop)
  const readKeys = async () =>
    (await orders.call(listLicenseKeys, { benefit_id: key }, shop.seller)).items.map(({ id, status }) => [id, status])
  const [[keyId] = []] = await readKeys()
  await shop.put([])
  await waitForEnd(orders)
  expect(await readKeys()).toEqual([[keyId, 'revoked']])
  await shop.put([key])
  await waitForEnd(orders)
  expect(await readKeys()).toEqual([[keyId, 'granted']])
  expect(await granted()).toEqual([key])
  expect((await readEvents(orders, benefitGrantUpdated.subject)).map(({ payload }) => payload.subscription_id)).toEqual([subscription.id])
})

test('a benefit that another product of the customer has too stays granted by that one', async () => {
  await using orders = await startOrders()
  const shop = await createPlanWithBenefit(orders)
  await orders.rows(
    `update organizations set document = jsonb_set(document, '{subscription_settings,allow_multiple_subscriptions}', 'true') returning 1`,
  )
  const other = await createPlan(orders, shop.seller, { price: 500 })
  await shop.put([shop.forum], other.id)
  const { granted, subscription } = await buyActive(orders, shop)
  const second = await buyActive(orders, shop, { productId: other.id, customerId: subscription.customer_id })
  expect(await granted()).toEqual([shop.forum, shop.forum])
  await shop.put([])
  await waitForEnd(orders)
  const left = await orders.rows('select subscription_id from benefit_grants where revoked_at is null')
  expect(left).toEqual([{ subscription_id: second.subscription.id }])
})

test('until a change of product is paid, the benefits follow the product before', async () => {
  await using orders = await startOrders()
  const shop = await createPlanWithBenefit(orders)
  const { granted, subscription } = await buyActive(orders, shop)
  const larger = await createPlan(orders, shop.seller, { price: 3000 })
  await replaceMethods(orders, 'ctoken_pending')
  await orders.call(updateSubscription, { id: subscription.id, product_id: larger.id, proration_behavior: 'invoice' }, shop.seller)
  await eventually(async () => expect(await orders.rows(`select from payments where state = 'processing'`)).toHaveLength(1))
  await shop.put([shop.forum], larger.id)
  await shop.put([shop.support])
  await waitForEnd(orders)
  expect(await granted()).toEqual([shop.support])
  await declineInProgress(orders)
  await eventually(async () => expect(await orders.rows('select from unpaid_changes')).toEqual([]))
  expect(await granted()).toEqual([shop.support])
})

/** Adds subscriptions of the plan, of other customers or of the same, each with the grants of one that exists. */
async function copySubscriptions(orders: OrdersUnderTest, count: number, { ofOneCustomer = false } = {}): Promise<void> {
  const copy = (table: string, changed: string) => `insert into ${table} select copy.* from ${table} t, generate_series(1, ${count}) n,
    jsonb_populate_record(t, jsonb_build_object(${changed})) copy where t.id in (select id from ${table} order by created_at limit 1);`
  const id = (kind: string) => `md5('${kind}' || n)::uuid`
  const customer = ofOneCustomer ? 't.customer_id' : id('customer')
  await orders.rows(`begin; set local session_replication_role = replica;
    ${ofOneCustomer ? '' : copy('customers', `'id', ${id('customer')}, 'email', n || '@example.com'`)}
    ${copy('subscriptions', `'id', ${id('subscription')}, 'customer_id', ${customer}, 'checkout_id', null, 'due_at', null`)}
    ${copy('benefit_grants', `'id', ${id('grant')}, 'subscription_id', ${id('subscription')}, 'customer_id', ${customer}`)}
    commit`)
}

const countGrants = async (orders: OrdersUnderTest) =>
  orders.rows('select benefit_id, count(*)::int from benefit_grants where revoked_at is null group by benefit_id')

test('reads many subscribers in pages, and continues after a replica died, or with what changed since', async () => {
  await using orders = await startOrders()
  const shop = await createPlanWithBenefit(orders)
  await buyActive(orders, shop)
  await copySubscriptions(orders, 250)
  await shop.put([shop.support])
  await shop.put([shop.forum, shop.support])
  await shop.put([shop.support])
  await waitForEnd(orders)
  expect(await countGrants(orders)).toEqual([{ benefit_id: shop.support, count: 251 }])
  // Claimed by a replica that died after some customers of the second page.
  const claim = `insert into benefit_syncs (id, organization_id, after_started_at, after_id, leased_until)
    select product_id, organization_id, started_at, id, now() + interval '2 seconds' from subscriptions order by started_at, id offset 99 limit 1`
  await orders.rows(`begin; set local session_replication_role = replica; delete from product_benefits where benefit_id = '${shop.support}';
    ${claim}; update benefit_grants set revoked_at = now(), granted_at = null
      where subscription_id in (select id from subscriptions order by started_at, id limit 120); commit`)
  await eventually(async () => {
    await wake(orders)
    expect(await orders.rows('select from benefit_syncs')).toEqual([])
  })
  expect(await countGrants(orders)).toEqual([])
})

test('changes the many subscriptions of one customer, some per transaction', async () => {
  await using orders = await startOrders()
  const shop = await createPlanWithBenefit(orders)
  await buyActive(orders, shop)
  await copySubscriptions(orders, 250, { ofOneCustomer: true })
  const before = (await readEvents(orders, customerStateChanged.subject)).length
  await shop.put([])
  await waitForEnd(orders)
  expect(await countGrants(orders)).toEqual([])
  expect((await readEvents(orders, customerStateChanged.subject)).length).toBe(before + 3)
})

test('a replica that ends a page late does not end a later change', async () => {
  await using orders = await startOrders()
  const shop = await createPlanWithBenefit(orders)
  const { granted } = await buyActive(orders, shop)
  const client = await connectTo(orders.databaseUrl ?? '')
  try {
    await client.query(`begin; delete from product_benefits where product_id = '${shop.plan.id}'`)
    const { rows } = await client.query<{ revision: string }>('select revision from benefit_syncs')
    await client.query('commit')
    await wake(orders)
    await waitForEnd(orders)
    await client.query(`begin; select from customers where organization_id = '${shop.organizationId}' for update`)
    await shop.put([shop.support])
    const late = endSync.replaceAll(':id', '$1').replaceAll(':revision', '$2')
    await orders.rows(late, [shop.plan.id, rows[0]?.revision])
    expect(await orders.rows('select from benefit_syncs')).toHaveLength(1)
    await client.query('commit')
    await waitForEnd(orders)
    expect(await granted()).toEqual([shop.support])
  } finally {
    await client.end()
  }
})

test('handles a change by the release before, and repeats what failed without delaying other customers', async () => {
  await using orders = await startOrders()
  const shop = await createPlanWithBenefit(orders)
  const [failing, other] = [await buyActive(orders, shop), await buyActive(orders, shop)]
  const { customer_id: id } = failing.subscription
  await orders.rows(`alter table benefit_grants add constraint fails check (customer_id <> '${id}' or revoked_at is null) not valid`)
  await orders.rows('delete from product_benefits where product_id = $1', [shop.plan.id])
  await wake(orders)
  await eventually(async () => expect(await other.granted()).toEqual([]))
  await eventually(async () => expect(await orders.rows('select from benefit_syncs where due_at > now()')).toHaveLength(1))
  expect(await failing.granted()).toEqual([shop.forum])
  await orders.rows('alter table benefit_grants drop constraint fails')
  await orders.rows('update benefit_syncs set due_at = now() returning 1')
  await wake(orders)
  await waitForEnd(orders)
  expect(await failing.granted()).toEqual([])
})

test('a subscription that begins during a change has the benefits after it', async () => {
  await using orders = await startOrders()
  const shop = await createPlanWithBenefit(orders)
  const client = await connectTo(orders.databaseUrl ?? '')
  // Tests of other databases of the server wait for locks too.
  const waiting = (kind: string) =>
    `select from pg_locks where locktype = '${kind}' and not granted and database = (select oid from pg_database where datname = current_database())`
  try {
    await client.query('begin; lock table benefit_grants in share mode')
    const buying = buyPlan(orders, shop, { productId: shop.plan.id })
    // It has read the benefits, and cannot store the grants yet.
    await eventually(async () => expect(await orders.rows(waiting('relation'))).not.toEqual([]))
    const changed = shop.put([shop.support])
    await eventually(async () => expect(await orders.rows(waiting('advisory'))).toHaveLength(1))
    await client.query('commit')
    await changed
    const { customer_id: id } = await waitForSubscription(orders, await buying, { status: 'active' })
    await waitForEnd(orders)
    expect(await listGranted(orders, shop, id)).toEqual([shop.support])
  } finally {
    await client.end()
  }
})

test('reads a page of many subscribers by the index, from its position on', async () => {
  await using orders = await startOrders()
  const shop = await createPlanWithBenefit(orders)
  await buyActive(orders, shop)
  await copySubscriptions(orders, 20_000)
  await orders.rows('analyze')
  await orders.rows(`begin; set local session_replication_role = replica; insert into benefit_syncs (id, organization_id, due_at)
    select id, organization_id, 'infinity' from products where id = '${shop.plan.id}'; commit`)
  const explained = `explain (analyze, buffers, format json) ${readPage.replaceAll(':id', `'${shop.plan.id}'`)}`
  const [{ 'QUERY PLAN': plan } = {}] = await orders.rows<{ 'QUERY PLAN'?: { Plan: Record<string, number> }[] }>(explained)
  expect(JSON.stringify(plan).includes('subscriptions_by_product_started')).toBe(true)
  expect(plan?.[0]?.Plan['Shared Hit Blocks']).toBeLessThan(5_000)
})
