import { randomUUID } from 'node:crypto'
import { benefitGrantCreated, benefitGrantRevoked, benefitGrantUpdated, listBenefitGrants } from '@quittance/contracts/benefit-grants'
import { createBenefit, deleteBenefit, getBenefit, updateBenefit } from '@quittance/contracts/benefits'
import { listCustomerBenefitGrants } from '@quittance/contracts/customer-benefit-grants'
import { getCustomerState } from '@quittance/contracts/customer-state'
import { deleteCustomer } from '@quittance/contracts/customers'
import { NotPermitted, RequestValidationError, ResourceNotFound } from '@quittance/contracts/errors'
import {
  activateLicenseKey,
  getCustomerLicenseKey,
  getLicenseKey,
  getLicenseKeyActivation,
  listCustomerLicenseKeys,
  listLicenseKeys,
  updateLicenseKey,
} from '@quittance/contracts/license-keys'
import { updateProductBenefits } from '@quittance/contracts/products'
import { createRefund } from '@quittance/contracts/refunds'
import { updateSubscription } from '@quittance/contracts/subscriptions'
import { organizationCaller } from '@quittance/testing/callers'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { buyProduct } from './sell-benefits.ts'
import { anonymous, buyLicenseKey, createLicenseKeyShop } from './sell-license-keys.ts'
import { buildOrganization, startOrders } from './start-orders.ts'
import { createPlan, buyPlan, waitForSubscription } from './subscribe.ts'

const activations = { limit: 2, enable_customer_admin: true }

test('a sale creates a key with the benefit’s terms, and every event of the grant names it', async () => {
  await using orders = await startOrders()
  const terms = { prefix: ' acme ', expires: { ttl: 1, timeframe: 'year' as const }, activations, limit_usage: 100 }
  const shop = await createLicenseKeyShop(orders, terms)
  expect(shop.benefit).toMatchObject({ type: 'license_keys', properties: { ...terms, prefix: 'acme' } })
  const { order, licenseKey, seller, benefit, buyer } = await buyLicenseKey(orders, shop)
  expect(licenseKey).toMatchObject({
    organization_id: shop.organizationId,
    customer_id: order.customer_id,
    customer: { email: 'ada@example.com' },
    benefit_id: benefit.id,
    key: expect.stringMatching(/^ACME-[0-9A-F]{8}-[0-9A-F]{4}-[0-9A-F]{4}-[0-9A-F]{4}-[0-9A-F]{12}$/),
    display_key: `****-${licenseKey.key.slice(-6)}`,
    status: 'granted',
    limit_activations: 2,
    limit_usage: 100,
    usage: 0,
    validations: 0,
    last_validated_at: null,
    modified_at: null,
  })
  const [given, ends] = [new Date(licenseKey.created_at), new Date(licenseKey.expires_at ?? '')]
  expect(ends.getUTCFullYear() - given.getUTCFullYear()).toBe(1)
  const properties = { license_key_id: licenseKey.id, display_key: licenseKey.display_key }
  const grantEvent = await orders.nextEvent(benefitGrantCreated)
  expect(grantEvent).toMatchObject({ order_id: order.id, properties, modified_at: null, benefit: { type: 'license_keys' } })
  expect((await orders.call(listBenefitGrants, { id: benefit.id }, seller)).items).toMatchObject([{ id: grantEvent.id, properties }])
  const state = await orders.call(getCustomerState, { id: order.customer_id }, seller)
  expect(state.granted_benefits).toMatchObject([{ benefit_type: 'license_keys', properties }])
  const { items } = await orders.call(listCustomerBenefitGrants, { type: 'license_keys' }, buyer)
  const organization = buildOrganization(shop.organizationId)
  expect(items).toMatchObject([{ properties, benefit: { type: 'license_keys', properties: shop.benefit.properties, organization } }])
})

test('a key without terms never expires, has no limits and allows no activations', async () => {
  await using orders = await startOrders()
  const { licenseKey, benefit } = await buyLicenseKey(orders, await createLicenseKeyShop(orders, { prefix: '  ' }))
  expect(benefit.properties).toEqual({ prefix: null, expires: null, activations: null, limit_usage: null })
  expect(licenseKey).toMatchObject({ expires_at: null, limit_usage: null, limit_activations: null })
  expect(licenseKey.key).toHaveLength(36)
})

test.each([
  [{ expires: { ttl: 0, timeframe: 'day' } }, /ttl/],
  [{ expires: { ttl: 101, timeframe: 'year' } }, /expires/],
  [{ activations: { limit: 0, enable_customer_admin: true } }, /limit/],
  [{ activations: { limit: 3 } }, /enable_customer_admin/],
  [{ limit_usage: 2 ** 31 }, /limit_usage/],
] as const)('rejects terms that no key can have: %o', async (properties, place) => {
  await using orders = await startOrders()
  const seller = organizationCaller(randomUUID())
  const draft = { type: 'license_keys' as const, description: 'The app', properties: properties as never }
  await expect(orders.call(createBenefit, draft, seller)).rejects.toThrow(place)
  await expect(orders.call(createBenefit, draft, seller)).rejects.toThrow(RequestValidationError)
})

test('changed terms apply to later keys; existing keys stay unchanged', async () => {
  await using orders = await startOrders()
  const shop = await createLicenseKeyShop(orders, { prefix: 'one', activations })
  const first = await buyLicenseKey(orders, shop)
  const properties = { prefix: 'two', limit_usage: 5 }
  const changed = await orders.call(updateBenefit, { id: shop.benefit.id, type: 'license_keys', properties }, shop.seller)
  expect(changed.properties).toEqual({ ...properties, expires: null, activations: null })
  expect(await orders.call(getBenefit, { id: shop.benefit.id }, shop.seller)).toEqual(changed)
  const second = await buyLicenseKey(orders, shop)
  expect(second.licenseKey).toMatchObject({ limit_usage: 5, limit_activations: null, key: expect.stringMatching(/^TWO-/) })
  const { items } = await orders.call(listLicenseKeys, {}, shop.seller)
  expect(items).toEqual([first.licenseKey, second.licenseKey])
})

test('two sales of one benefit to one customer create two keys; a grant never has two', async () => {
  await using orders = await startOrders()
  const shop = await createLicenseKeyShop(orders)
  await buyProduct(orders, shop)
  await buyProduct(orders, shop)
  const keys = await orders.rows<{ key: string; grant_id: string }>('select key, grant_id from license_keys')
  expect(new Set(keys.map(({ key }) => key)).size).toBe(2)
  expect(new Set(keys.map(({ grant_id }) => grant_id)).size).toBe(2)
  const again = `insert into license_keys (id, created_at, organization_id, grant_id, benefit_id, customer_id, key, display_key, status,
    enable_customer_admin) select gen_random_uuid(), now(), organization_id, grant_id, benefit_id, customer_id, key || 'X', display_key,
    status, false from license_keys limit 1`
  await expect(orders.rows(again)).rejects.toThrow('license_keys_once_per_grant')
})

test('revokes a key by a refund that requests it, with its customer, and with its benefit', async () => {
  await using orders = await startOrders()
  const shop = await createLicenseKeyShop(orders)
  const refunded = await buyLicenseKey(orders, shop, 'ada@example.com')
  const deleted = await buyLicenseKey(orders, shop, 'bob@example.com')
  const other = await buyLicenseKey(orders, shop, 'eve@example.com')
  const getStatus = async ({ licenseKey }: typeof other) => (await orders.call(getLicenseKey, { id: licenseKey.id }, shop.seller)).status
  const refund = { order_id: refunded.order.id, reason: 'customer_request' as const, amount: 100, revoke_benefits: true }
  await orders.call(createRefund, refund, shop.seller)
  expect(await orders.nextEvent(benefitGrantRevoked)).toMatchObject({ properties: { license_key_id: refunded.licenseKey.id } })
  await orders.call(deleteCustomer, { id: deleted.order.customer_id }, shop.seller)
  expect([await getStatus(refunded), await getStatus(deleted), await getStatus(other)]).toEqual(['revoked', 'revoked', 'granted'])
  await orders.call(deleteBenefit, { id: shop.benefit.id }, shop.seller)
  await eventually(async () => expect(await getStatus(other)).toBe('revoked'))
})

test('a repeated grant reinstates the same key; one disabled by the seller stays disabled', async () => {
  await using orders = await startOrders()
  const shop = await createLicenseKeyShop(orders)
  const [plan, bare] = [await createPlan(orders, shop.seller), await createPlan(orders, shop.seller, { price: 500 })]
  await orders.call(updateProductBenefits, { id: plan.id, benefits: [shop.benefit.id] }, shop.seller)
  const bought = await buyPlan(orders, shop, { productId: plan.id })
  const { id } = await waitForSubscription(orders, bought, { status: 'active' })
  const theKey = async () => (await orders.call(listLicenseKeys, {}, shop.seller)).items
  const [licenseKey] = await theKey()
  const move = (product_id: string) => orders.call(updateSubscription, { id, product_id }, shop.seller)
  await move(bare.id)
  expect(await theKey()).toMatchObject([{ id: licenseKey?.id, key: licenseKey?.key, status: 'revoked' }])
  await move(plan.id)
  expect(await theKey()).toMatchObject([{ id: licenseKey?.id, key: licenseKey?.key, status: 'granted' }])
  expect(await orders.nextEvent(benefitGrantUpdated)).toMatchObject({ properties: { license_key_id: licenseKey?.id } })
  await orders.call(updateLicenseKey, { id: licenseKey?.id ?? '', status: 'disabled' }, shop.seller)
  await move(bare.id)
  await move(plan.id)
  expect(await theKey()).toMatchObject([{ id: licenseKey?.id, status: 'disabled' }])
})

test('the seller changes only the given status, limits, usage and expiry; null clears them', async () => {
  await using orders = await startOrders()
  const { licenseKey, seller } = await buyLicenseKey(orders, await createLicenseKeyShop(orders, { activations, limit_usage: 3 }))
  const { id } = licenseKey
  const change = (request: object) => orders.call(updateLicenseKey, { id, ...request }, seller)
  const expires_at = '2031-01-01T00:00:00+00:00'
  const changed = await change({ status: 'disabled', usage: 2, limit_activations: 5, limit_usage: 9, expires_at })
  expect(changed).toMatchObject({ status: 'disabled', usage: 2, limit_activations: 5, limit_usage: 9, expires_at })
  expect(changed.modified_at).not.toBeNull()
  const nothing = await change({ status: null })
  expect(nothing).toEqual(changed)
  const unlimited = { usage: 0, limit_activations: null, limit_usage: null, expires_at: null }
  expect(await change({ status: 'granted', ...unlimited })).toMatchObject({ status: 'granted', ...unlimited })
  for (const wrong of [{ status: 'lost' }, { usage: -1 }, { limit_usage: 0 }, { limit_activations: 1001 }]) {
    await expect(change(wrong)).rejects.toThrow(RequestValidationError)
  }
  for (const expires_at of ['soon', '0000-01-01T00:00:00Z', '9999-12-31T23:59:59-12:00']) {
    await expect(change({ expires_at })).rejects.toThrow(RequestValidationError)
  }
})

test('a key stays readable however much data its holder stores with activations', async () => {
  await using orders = await startOrders()
  const sold = await buyLicenseKey(orders, await createLicenseKeyShop(orders, { activations: { limit: 100, enable_customer_admin: true } }))
  const meta = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`key ${index}`, '\u0001'.repeat(500)]))
  const activate = () => orders.call(activateLicenseKey, { ...sold.held, label: 'device', meta }, anonymous)
  const made: PromiseSettledResult<unknown>[] = []
  // Activations of a key wait for each other: on a slow machine, the last of 60 would wait until its deadline.
  for (let group = 0; group < 6; group++) made.push(...(await Promise.allSettled(Array.from({ length: 10 }, activate))))
  const rejections = made.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []))
  const { activations: shown } = await orders.call(getLicenseKey, { id: sold.licenseKey.id }, sold.seller)
  expect(shown).toHaveLength(60 - rejections.length)
  expect(shown.length).toBeGreaterThan(20)
  for (const error of rejections) expect(error).toBeInstanceOf(NotPermitted)
})

test('lists keys oldest first by page, organization and benefit', async () => {
  await using orders = await startOrders()
  const shop = await createLicenseKeyShop(orders)
  const [ada, bob] = [await buyLicenseKey(orders, shop), await buyLicenseKey(orders, shop, 'bob@example.com')]
  const list = async (request: object) => (await orders.call(listLicenseKeys, request, shop.seller)).items.map(({ id }) => id)
  expect(await list({})).toEqual([ada.licenseKey.id, bob.licenseKey.id])
  expect(await list({ limit: 1, page: 2 })).toEqual([bob.licenseKey.id])
  expect((await orders.call(listLicenseKeys, {}, shop.seller)).pagination).toEqual({ total_count: 2, max_page: 1 })
  expect(await list({ benefit_id: [shop.benefit.id], organization_id: shop.organizationId })).toHaveLength(2)
  expect(await list({ benefit_id: randomUUID() })).toEqual([])
  expect(await list({ organization_id: randomUUID() })).toEqual([])
})

test('another organization finds neither key nor activation', async () => {
  await using orders = await startOrders()
  const { licenseKey, held, seller } = await buyLicenseKey(orders, await createLicenseKeyShop(orders, { activations }))
  const activation = await orders.call(activateLicenseKey, { ...held, label: 'laptop', meta: { os: 'linux' } }, anonymous)
  const named = { id: licenseKey.id, activation_id: activation.id }
  expect(await orders.call(getLicenseKeyActivation, named, seller)).toEqual(activation)
  const { license_key: _, ...base } = activation
  expect(await orders.call(getLicenseKey, { id: licenseKey.id }, seller)).toEqual({ ...licenseKey, activations: [base] })
  const stranger = organizationCaller(randomUUID())
  await expect(orders.call(getLicenseKey, { id: licenseKey.id }, stranger)).rejects.toThrow(ResourceNotFound)
  await expect(orders.call(getLicenseKeyActivation, named, stranger)).rejects.toThrow(ResourceNotFound)
  await expect(orders.call(updateLicenseKey, { id: licenseKey.id, usage: 1 }, stranger)).rejects.toThrow(ResourceNotFound)
  expect((await orders.call(listLicenseKeys, {}, stranger)).items).toEqual([])
  const mismatched = { id: licenseKey.id, activation_id: randomUUID() }
  await expect(orders.call(getLicenseKeyActivation, mismatched, seller)).rejects.toThrow(ResourceNotFound)
})

test('a customer sees only their own keys, and activations if the seller shows them', async () => {
  await using orders = await startOrders()
  const shop = await createLicenseKeyShop(orders, { activations })
  const [ada, bob] = [await buyLicenseKey(orders, shop), await buyLicenseKey(orders, shop, 'bob@example.com')]
  const { id } = ada.licenseKey
  expect((await orders.call(listCustomerLicenseKeys, {}, ada.buyer)).items).toEqual([ada.licenseKey])
  const filters = { benefit_id: shop.benefit.id, organization_id: [shop.organizationId] }
  expect((await orders.call(listCustomerLicenseKeys, filters, ada.buyer)).items).toHaveLength(1)
  expect((await orders.call(listCustomerLicenseKeys, { benefit_id: randomUUID() }, ada.buyer)).items).toEqual([])
  expect((await orders.call(listCustomerLicenseKeys, { organization_id: randomUUID() }, ada.buyer)).items).toEqual([])
  await orders.call(activateLicenseKey, { ...ada.held, label: 'laptop' }, anonymous)
  expect((await orders.call(getCustomerLicenseKey, { id }, ada.buyer)).activations).toMatchObject([{ label: 'laptop', meta: {} }])
  await expect(orders.call(getCustomerLicenseKey, { id }, bob.buyer)).rejects.toThrow(ResourceNotFound)

  const hidden = { activations: { ...activations, enable_customer_admin: false } }
  await orders.call(updateBenefit, { id: shop.benefit.id, type: 'license_keys', properties: hidden }, shop.seller)
  const eve = await buyLicenseKey(orders, shop, 'eve@example.com')
  await orders.call(activateLicenseKey, { ...eve.held, label: 'phone' }, anonymous)
  expect((await orders.call(getCustomerLicenseKey, { id: eve.licenseKey.id }, eve.buyer)).activations).toEqual([])
  expect((await orders.call(getLicenseKey, { id: eve.licenseKey.id }, shop.seller)).activations).toHaveLength(1)
})
