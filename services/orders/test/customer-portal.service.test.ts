import { randomUUID } from 'node:crypto'
import { getPortalOrganization } from '@quittance/contracts/customer-portal'
import { createCustomer, customerUpdated, deleteCustomer, getCustomer } from '@quittance/contracts/customers'
import { RequestValidationError, ResourceNotFound } from '@quittance/contracts/errors'
import { organizationUpdated } from '@quittance/contracts/organizations'
import { createProduct, updateProduct } from '@quittance/contracts/products'
import { getPortalCustomer, updatePortalCustomer } from '@quittance/contracts/portal-customers'
import { customerCaller, organizationCaller } from '@quittance/testing/callers'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { buildOrganization, startOrders, type OrdersUnderTest } from './start-orders.ts'

async function createPortalCustomer(orders: OrdersUnderTest) {
  const organizationId = randomUUID()
  const seller = organizationCaller(organizationId)
  const customer = await orders.call(createCustomer, { email: 'ada@example.com', name: 'Ada', metadata: { note: 'rich' } }, seller)
  return { organizationId, seller, customer, me: customerCaller({ organizationId, customerId: customer.id }) }
}

test('a customer reads themselves, without the seller’s data', async () => {
  await using orders = await startOrders()
  const { customer, me } = await createPortalCustomer(orders)
  const { id, created_at, modified_at, email, email_verified, name, billing_address, tax_id, locale } = customer
  expect(await orders.call(getPortalCustomer, {}, me)).toEqual({
    id,
    created_at,
    modified_at,
    email,
    email_verified,
    name,
    billing_address,
    tax_id,
    locale,
    billing_name: null,
    oauth_accounts: {},
  })
})

test('changes only the keys that are present, and publishes', async () => {
  await using orders = await startOrders()
  const { customer, me, seller } = await createPortalCustomer(orders)
  await orders.rows('update customers set email_verified = true')
  const address = { country: 'pl', city: 'Warszawa' }
  const first = await orders.call(updatePortalCustomer, { billing_address: address, tax_id: '526-000-12-46' }, me)
  expect(first).toMatchObject({ name: 'Ada', email_verified: true, tax_id: ['PL5260001246', 'eu_vat'], billing_address: { country: 'PL' } })
  const second = await orders.call(updatePortalCustomer, { name: 'Countess', tax_id: ' ' }, me)
  expect(second).toMatchObject({ name: 'Countess', email_verified: true, tax_id: null, billing_address: { country: 'PL' } })
  expect(await orders.nextEvent(customerUpdated)).toMatchObject({ id: customer.id, name: 'Ada' })
  expect(await orders.nextEvent(customerUpdated)).toEqual(await orders.call(getCustomer, { id: customer.id }, seller))
})

test('rejects a tax id without a country or of another one, and names the field', async () => {
  await using orders = await startOrders()
  const { me, seller, customer } = await createPortalCustomer(orders)
  await expect(orders.call(updatePortalCustomer, { tax_id: '5260001246' }, me)).rejects.toThrow(/body\.tax_id/)
  const elsewhere = { billing_address: { country: 'PL' }, tax_id: 'DE123456789' }
  await expect(orders.call(updatePortalCustomer, elsewhere, me)).rejects.toThrow(RequestValidationError)
  expect(await orders.call(getCustomer, { id: customer.id }, seller)).toEqual(customer)
})

test('returns not found for a deleted customer and for one of another organization', async () => {
  await using orders = await startOrders()
  const { customer, me, seller } = await createPortalCustomer(orders)
  const elsewhere = customerCaller({ organizationId: randomUUID(), customerId: customer.id })
  await expect(orders.call(getPortalCustomer, {}, elsewhere)).rejects.toThrow(ResourceNotFound)
  await orders.call(deleteCustomer, { id: customer.id }, seller)
  await expect(orders.call(getPortalCustomer, {}, me)).rejects.toThrow(ResourceNotFound)
  await expect(orders.call(updatePortalCustomer, { name: 'Ghost' }, me)).rejects.toThrow(ResourceNotFound)
})

test('rejects callers that are not customers', async () => {
  await using orders = await startOrders()
  const { seller } = await createPortalCustomer(orders)
  await expect(orders.call(getPortalCustomer, {}, seller)).rejects.toThrow('Only a customer')
})

test('anyone reads a seller and its products by slug; an unknown slug is not found', async () => {
  await using orders = await startOrders()
  const { organizationId, seller, product } = await orders.shop()
  const prices = [{ amount_type: 'free' as const }]
  const old = await orders.call(createProduct, { name: 'Out of print', recurring_interval: null, prices }, seller)
  await orders.call(updateProduct, { id: old.id, is_archived: true }, seller)
  const anonymous = { kind: 'anonymous' } as const
  const shown = await eventually(() => orders.call(getPortalOrganization, { slug: 'acme-books' }, anonymous))
  expect(shown.organization).toEqual(buildOrganization(organizationId))
  expect(shown.products).toMatchObject([{ id: product.id, name: product.name, prices: product.prices }])
  await expect(orders.call(getPortalOrganization, { slug: 'nobody' }, anonymous)).rejects.toThrow(ResourceNotFound)
})

test('an organization published by the first release is complete for every later client', async () => {
  await using orders = await startOrders()
  const { organizationId } = await orders.shop()
  const complete = buildOrganization(organizationId)
  const { allow_multiple_subscriptions, allow_customer_updates, proration_behavior } = complete.subscription_settings
  const first = {
    ...Object.fromEntries(Object.entries(complete).slice(0, Object.keys(complete).indexOf('subscription_settings'))),
    subscription_settings: { allow_multiple_subscriptions, allow_customer_updates, proration_behavior },
    name: 'Acme Renamed',
  }
  await orders.emit(organizationUpdated, first as never, { organizationId, aggregateId: organizationId })
  await eventually(async () => {
    const { organization } = await orders.call(getPortalOrganization, { slug: complete.slug }, { kind: 'anonymous' })
    expect(organization).toEqual({ ...complete, name: 'Acme Renamed' })
  })
})
