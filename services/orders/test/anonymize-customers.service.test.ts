import { randomUUID } from 'node:crypto'
import type { Caller } from '@quittance/contracts/caller'
import { confirmCheckout, createCheckout, getCheckout, updateCheckoutByClient } from '@quittance/contracts/checkouts'
import { createCustomer, customerDeleted, deleteCustomer, deleteCustomerByExternalId, updateCustomer } from '@quittance/contracts/customers'
import { ResourceNotFound } from '@quittance/contracts/errors'
import { activateLicenseKey, listLicenseKeys } from '@quittance/contracts/license-keys'
import { listOrders } from '@quittance/contracts/orders'
import { updateProductBenefits } from '@quittance/contracts/products'
import { listSubscriptions, updateSubscription } from '@quittance/contracts/subscriptions'
import { organizationCaller } from '@quittance/testing/callers'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { anonymous, createLicenseKeyShop } from './sell-license-keys.ts'
import { startOrders, type OrdersUnderTest } from './start-orders.ts'
import { createPlan } from './subscribe.ts'

const personalData = [
  'ada@example.com',
  'Lovelace',
  'Augusta',
  '203.0.113.9',
  'St James',
  'GB123456782',
  'account-815',
  'gold',
  'too dear',
  'laptop',
]

/** Returns the tables with personal data of the buyer, except the events, which are removed by their age. */
async function findTables(orders: OrdersUnderTest): Promise<string[]> {
  const tables = await orders.rows<{ name: string }>(
    `select tablename as name from pg_tables where schemaname = 'public' and tablename <> 'outbox_messages' order by 1`,
  )
  const patterns = personalData.map((word) => `%${word}%`)
  const found: string[] = []
  for (const { name } of tables) {
    const rows = await orders.rows(`select from "${name}" t where t::text ilike any ($1) limit 1`, [patterns])
    if (rows.length > 0) found.push(name)
  }
  return found
}

/** Sells a subscription with a license key to a buyer who leaves personal data wherever there is room for some. */
async function sellToAda(orders: OrdersUnderTest) {
  const shop = await createLicenseKeyShop(orders, { activations: { limit: 2, enable_customer_admin: true } })
  const { seller, organizationId: organization_id } = shop
  const plan = await createPlan(orders, seller)
  await orders.call(updateProductBenefits, { id: plan.id, benefits: [shop.benefit.id] }, seller)
  const given = { customer_ip_address: '203.0.113.9', external_customer_id: 'account-815', customer_metadata: { tier: 'gold' } }
  const { client_secret } = await orders.call(createCheckout, { products: [plan.id], ...given }, seller)
  const customer_billing_address = { country: 'GB', line1: '12 St James’s Square', city: 'London', postal_code: 'SW1Y 4JH' }
  const details = { customer_email: 'ada@example.com', customer_name: 'Ada Lovelace', customer_billing_address }
  const confirmation = { client_secret, confirmation_token_id: 'ctoken_ok', ...details }
  const confirmed = await orders.call(confirmCheckout, confirmation, anonymous)
  const [id, checkoutId] = [confirmed.customer_id as string, confirmed.id]
  await waitForKey(orders, seller)
  const [licenseKey] = (await orders.call(listLicenseKeys, {}, seller)).items
  await orders.call(activateLicenseKey, { key: licenseKey?.key ?? '', organization_id, label: 'laptop' }, anonymous)
  const [subscription] = (await orders.call(listSubscriptions, {}, seller)).items
  const cancellation = { cancel_at_period_end: true, customer_cancellation_comment: 'too dear' }
  await orders.call(updateSubscription, { id: subscription?.id ?? '', ...cancellation }, seller)
  await orders.call(updateCustomer, { id, tax_id: ['GB123456782', 'gb_vat'], name: 'Augusta' }, seller)
  return { id, checkoutId, seller, productId: plan.id }
}

const waitForKey = (orders: OrdersUnderTest, seller: Caller) =>
  eventually(async () => expect((await orders.call(listLicenseKeys, {}, seller)).items).toHaveLength(1))

const wake = (orders: OrdersUnderTest, job: string) => orders.rows(`select pg_notify('wake', $1)`, [job])

const waitUntilAnonymized = (orders: OrdersUnderTest, id: string) =>
  eventually(async () => {
    expect(await orders.rows('select from customers where id = $1 and anonymize_due_at is null and name is null', [id])).toHaveLength(1)
  })

test('an anonymized customer leaves personal data in orders only, and attempts for an hour', async () => {
  await using orders = await startOrders()
  const { id, checkoutId, seller } = await sellToAda(orders)
  const everywhere = ['checkouts', 'customers', 'license_key_activations', 'orders', 'payers', 'payment_attempts', 'subscriptions']
  expect(await findTables(orders)).toEqual(everywhere)
  expect(await orders.call(deleteCustomer, { id, anonymize: true }, seller)).toBeNull()
  await waitUntilAnonymized(orders, id)
  expect(await findTables(orders)).toEqual(['orders', 'payment_attempts'])
  const email = `${id}@anonymized.invalid`
  const { items } = await orders.call(listOrders, {}, seller)
  expect(items).toMatchObject([{ billing_name: 'Ada Lovelace', customer: { id, email, name: null, billing_address: null, metadata: {} } }])
  expect(await orders.call(getCheckout, { id: checkoutId }, seller)).toMatchObject({ customer_email: email, customer_name: null })
})

test('the deletion of an anonymized customer is published without personal data', async () => {
  await using orders = await startOrders()
  const { id, seller } = await sellToAda(orders)
  const [before] = await orders.rows<{ last: string }>('select max(position) as last from outbox_messages')
  await orders.call(deleteCustomer, { id, anonymize: true }, seller)
  expect(await orders.nextEvent(customerDeleted)).toMatchObject({ id, email: `${id}@anonymized.invalid`, external_id: null, metadata: {} })
  const events = await orders.rows<{ subject: string; payload: string }>(
    'select subject, payload from outbox_messages where position > $1',
    [before?.last],
  )
  expect(events.map(({ subject }) => subject)).toContain('event.subscription.revoked')
  const ofCustomer = events.filter(({ subject }) => subject.startsWith('event.customer.'))
  expect(ofCustomer.length).toBeGreaterThan(1)
  for (const { payload } of ofCustomer) for (const word of personalData) expect(payload).not.toContain(word)
})

test('details of a purchase in progress stay until its payment is settled', async () => {
  await using orders = await startOrders()
  const { order, seller } = await orders.pendingOrder()
  const id = order.customer_id
  await orders.call(deleteCustomer, { id, anonymize: true }, seller)
  const isPostponed = async () => {
    const rows = await orders.rows(`select from customers where id = $1 and anonymize_due_at > now() + interval '59 minutes'`, [id])
    expect(rows).toHaveLength(1)
  }
  await eventually(isPostponed)
  const readPayer = () => orders.rows<{ email: string }>(`select request->>'email' as email from payers where customer_id = $1`, [id])
  expect(await readPayer()).toEqual([{ email: 'ada@example.com' }])
  await orders.rows(`update sandbox_objects set status = 'declined', token = 'ctoken_insufficient_funds' where status = 'processing'`)
  await orders.rows(`set quittance.payments = 'port'; update payments set next_check_at = now() where state = 'processing'`)
  await eventually(async () => {
    await wake(orders, 'settle-due-payments')
    expect(await orders.rows('select from payments where settled_at is null')).toHaveLength(0)
  })
  await orders.rows('update checkouts set expires_at = now()')
  await wake(orders, 'expire-checkouts')
  await eventually(async () => expect(await orders.rows(`select from checkouts where status in ('open', 'confirmed')`)).toHaveLength(0))
  await orders.rows('update customers set anonymize_due_at = now()')
  await wake(orders, 'anonymize-customers')
  await waitUntilAnonymized(orders, id)
  expect(await readPayer()).toEqual([{ email: `${id}@anonymized.invalid` }])
})

test('a deleted customer can be anonymized later, repeatedly, without a further event', async () => {
  await using orders = await startOrders()
  const seller = organizationCaller(randomUUID())
  const { id } = await orders.call(
    createCustomer,
    { email: 'ada@example.com', external_id: 'account-815', metadata: { tier: 'gold' } },
    seller,
  )
  await orders.call(deleteCustomer, { id }, seller)
  expect(await findTables(orders)).toEqual(['customers'])
  await orders.call(deleteCustomer, { id, anonymize: true }, seller)
  await waitUntilAnonymized(orders, id)
  expect(await findTables(orders)).toEqual([])
  expect(await orders.call(deleteCustomer, { id, anonymize: true }, seller)).toBeNull()
  expect(await orders.rows(`select from outbox_messages where subject = 'event.customer.deleted'`)).toHaveLength(1)
  await expect(orders.call(deleteCustomer, { id }, seller)).rejects.toThrow(ResourceNotFound)
})

test('anonymizes by external id; customers of others are not found, deleted or not', async () => {
  await using orders = await startOrders()
  const seller = organizationCaller(randomUUID())
  const stranger = organizationCaller(randomUUID())
  const external_id = 'account-815'
  const { id } = await orders.call(createCustomer, { email: 'ada@example.com', external_id }, seller)
  const ask = () => orders.call(deleteCustomer, { id, anonymize: true }, stranger)
  await expect(ask()).rejects.toThrow(ResourceNotFound)
  await orders.call(deleteCustomerByExternalId, { external_id, anonymize: true }, seller)
  await waitUntilAnonymized(orders, id)
  await expect(ask()).rejects.toThrow(ResourceNotFound)
  expect(await findTables(orders)).toEqual([])
})

test('an unconfirmed checkout loses the buyer’s details 90 days after it expired, not before', async () => {
  await using orders = await startOrders()
  const { seller, product } = await orders.shop()
  const abandon = async () => {
    const { id, client_secret } = await orders.call(createCheckout, { products: [product.id], customer_ip_address: '203.0.113.9' }, seller)
    await orders.call(
      updateCheckoutByClient,
      { client_secret, customer_email: 'ada@example.com', customer_name: 'Ada Lovelace' },
      anonymous,
    )
    return id
  }
  const [old, recent] = [await abandon(), await abandon()]
  const expire = `update checkouts set status = 'expired', expires_at = now() - $2::interval where id = $1`
  await orders.rows(expire, [old, '90 days 1 minute'])
  await orders.rows(expire, [recent, '89 days 23 hours'])
  await wake(orders, 'anonymize-abandoned-checkouts')
  const read = (id: string) => orders.call(getCheckout, { id }, seller)
  const none = { status: 'expired', customer_email: null, customer_name: null, customer_ip_address: null }
  await eventually(async () => expect(await read(old)).toMatchObject(none))
  expect(await read(recent)).toMatchObject({ customer_email: 'ada@example.com', customer_ip_address: '203.0.113.9' })
})
