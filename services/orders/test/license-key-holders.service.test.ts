import { randomUUID } from 'node:crypto'
import { confirmCheckout, createCheckout } from '@quittance/contracts/checkouts'
import { createCustomer, updateCustomer } from '@quittance/contracts/customers'
import { NotPermitted, RequestValidationError, ResourceNotFound } from '@quittance/contracts/errors'
import {
  activateLicenseKey,
  activateSoldLicenseKey,
  deactivateLicenseKey,
  deactivateSoldLicenseKey,
  getLicenseKey,
  listLicenseKeys,
  updateLicenseKey,
  validateLicenseKey,
  validateSoldLicenseKey,
} from '@quittance/contracts/license-keys'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { anonymous, buyLicenseKey, createLicenseKeyShop } from './sell-license-keys.ts'
import { startOrders } from './start-orders.ts'

const activations = { limit: 2, enable_customer_admin: true }
const past = '2020-01-01T00:00:00Z'

test('validates an active key and counts each validation', async () => {
  await using orders = await startOrders()
  const { held, licenseKey, benefit, order } = await buyLicenseKey(orders, await createLicenseKeyShop(orders))
  const validated = await orders.call(validateLicenseKey, held, anonymous)
  expect(validated).toMatchObject({
    id: licenseKey.id,
    key: held.key,
    validations: 1,
    usage: 0,
    activation: null,
    customer: order.customer,
  })
  expect(Date.parse(validated.last_validated_at ?? '')).toBeGreaterThan(Date.parse(licenseKey.created_at))
  const named = { ...held, key: ` ${held.key}\n`, benefit_id: benefit.id, customer_id: order.customer_id, activation_id: null }
  expect(await orders.call(validateLicenseKey, named, anonymous)).toMatchObject({ validations: 2 })
})

test('shows the holder of a key neither the metadata nor the external id of its customer', async () => {
  await using orders = await startOrders()
  const shop = await createLicenseKeyShop(orders, { activations })
  const { seller, organizationId: organization_id } = shop
  const known = { email: 'ada@example.com', external_id: 'crm-17', metadata: { margin: 'low' } }
  const customer = await orders.call(createCustomer, known, seller)
  const { client_secret } = await orders.call(createCheckout, { products: [shop.product.id], customer_id: customer.id }, seller)
  await orders.call(confirmCheckout, { client_secret, confirmation_token_id: 'ctoken_ok' }, anonymous)
  const [licenseKey] = await eventually(async () => {
    const { items } = await orders.call(listLicenseKeys, {}, seller)
    expect(items).toMatchObject([{ customer: { external_id: 'crm-17', metadata: { margin: 'low' } } }])
    return items
  })
  const held = { organization_id, key: licenseKey?.key ?? '' }
  const hidden = { id: customer.id, external_id: null, metadata: {} }
  expect(await orders.call(validateLicenseKey, held, anonymous)).toMatchObject({ customer: hidden })
  expect(await orders.call(activateLicenseKey, { ...held, label: 'laptop' }, anonymous)).toMatchObject({
    license_key: { customer: hidden },
  })
})

test('a server of the seller validates, activates and deactivates a key, and sees the whole customer', async () => {
  await using orders = await startOrders()
  const shop = await createLicenseKeyShop(orders, { activations: { ...activations, limit: 1 }, limit_usage: 2 })
  const { held, licenseKey } = await buyLicenseKey(orders, shop)
  const { seller } = shop
  await orders.call(updateCustomer, { id: licenseKey.customer_id, metadata: { margin: 'low' } }, seller)
  const customer = { id: licenseKey.customer_id, metadata: { margin: 'low' } }
  const laptop = await orders.call(activateSoldLicenseKey, { ...held, label: 'laptop', conditions: { major: 2 } }, seller)
  expect(laptop).toMatchObject({ label: 'laptop', license_key: { id: licenseKey.id, customer } })
  await expect(orders.call(activateSoldLicenseKey, { ...held, label: 'phone' }, seller)).rejects.toThrow(NotPermitted)
  const use = { ...held, activation_id: laptop.id, conditions: { major: 2 }, increment_usage: 2 }
  expect(await orders.call(validateSoldLicenseKey, use, seller)).toMatchObject({
    usage: 2,
    validations: 1,
    customer,
    activation: { id: laptop.id },
  })
  await expect(orders.call(validateSoldLicenseKey, use, seller)).rejects.toThrow(RequestValidationError)
  await expect(orders.call(validateSoldLicenseKey, { ...use, conditions: {} }, seller)).rejects.toThrow(ResourceNotFound)
  const end = () => orders.call(deactivateSoldLicenseKey, { ...held, activation_id: laptop.id }, seller)
  expect(await end()).toBeNull()
  await expect(end()).rejects.toThrow(ResourceNotFound)
  await orders.call(activateSoldLicenseKey, { ...held, label: 'phone' }, seller)
})

test('a server of another seller finds no key, also with the organization of the key', async () => {
  await using orders = await startOrders()
  const { held } = await buyLicenseKey(orders, await createLicenseKeyShop(orders, { activations }))
  const { id: activation_id } = await orders.call(activateLicenseKey, { ...held, label: 'laptop' }, anonymous)
  const other = await orders.shop()
  for (const organization_id of [held.organization_id, other.organizationId]) {
    const named = { ...held, organization_id }
    await expect(orders.call(validateSoldLicenseKey, named, other.seller)).rejects.toThrow(ResourceNotFound)
    await expect(orders.call(activateSoldLicenseKey, { ...named, label: 'x' }, other.seller)).rejects.toThrow(ResourceNotFound)
    await expect(orders.call(deactivateSoldLicenseKey, { ...named, activation_id }, other.seller)).rejects.toThrow(ResourceNotFound)
  }
  expect(await orders.call(validateLicenseKey, { ...held, activation_id }, anonymous)).toMatchObject({ validations: 1 })
})

test('returns not found, uncounted, for an unknown key or another owner, benefit or customer', async () => {
  await using orders = await startOrders()
  const { held, licenseKey, seller } = await buyLicenseKey(orders, await createLicenseKeyShop(orders, { activations }))
  const others = [
    { key: randomUUID() },
    { organization_id: randomUUID() },
    { benefit_id: randomUUID() },
    { customer_id: randomUUID() },
    { activation_id: randomUUID() },
  ]
  for (const other of others) {
    await expect(orders.call(validateLicenseKey, { ...held, ...other }, anonymous)).rejects.toThrow(ResourceNotFound)
  }
  expect(await orders.call(getLicenseKey, { id: licenseKey.id }, seller)).toMatchObject({ validations: 0, last_validated_at: null })
  const unknown = { ...held, key: randomUUID() }
  await expect(orders.call(activateLicenseKey, { ...unknown, label: 'x' }, anonymous)).rejects.toThrow(ResourceNotFound)
  await expect(orders.call(deactivateLicenseKey, { ...unknown, activation_id: randomUUID() }, anonymous)).rejects.toThrow(ResourceNotFound)
})

test.each([
  ['revoked', { status: 'revoked' }],
  ['disabled', { status: 'disabled' }],
  ['expired', { expires_at: past }],
] as const)('a key that is %s is neither validated nor activated, but can be deactivated', async (_, change) => {
  await using orders = await startOrders()
  const { held, licenseKey, seller } = await buyLicenseKey(orders, await createLicenseKeyShop(orders, { activations }))
  const { id } = await orders.call(activateLicenseKey, { ...held, label: 'laptop' }, anonymous)
  await orders.call(updateLicenseKey, { id: licenseKey.id, ...change }, seller)
  await expect(orders.call(validateLicenseKey, { ...held, activation_id: id }, anonymous)).rejects.toThrow(ResourceNotFound)
  await expect(orders.call(activateLicenseKey, { ...held, label: 'phone' }, anonymous)).rejects.toThrow(ResourceNotFound)
  expect(await orders.call(deactivateLicenseKey, { ...held, activation_id: id }, anonymous)).toBeNull()
  await orders.call(updateLicenseKey, { id: licenseKey.id, status: 'granted', expires_at: null }, seller)
  expect(await orders.call(validateLicenseKey, held, anonymous)).toMatchObject({ validations: 1 })
})

test('counts uses up to the limit; rejects more by field and counts nothing', async () => {
  await using orders = await startOrders()
  const { held, licenseKey, seller } = await buyLicenseKey(orders, await createLicenseKeyShop(orders, { limit_usage: 3 }))
  const use = (increment_usage: number | null) => orders.call(validateLicenseKey, { ...held, increment_usage }, anonymous)
  expect(await use(2)).toMatchObject({ usage: 2, validations: 1 })
  await expect(use(2)).rejects.toMatchObject({
    body: { detail: [{ loc: ['body', 'increment_usage'], msg: 'This license key has 1 uses left.' }] },
  })
  expect(await use(1)).toMatchObject({ usage: 3, validations: 2 })
  for (const nothing of [0, null]) expect(await use(nothing)).toMatchObject({ usage: 3 })
  await expect(use(1)).rejects.toThrow(RequestValidationError)
  await expect(use(-1)).rejects.toThrow(RequestValidationError)
  await orders.call(updateLicenseKey, { id: licenseKey.id, limit_usage: 1 }, seller)
  await expect(use(1)).rejects.toThrow(/has 0 uses left/)
  await orders.call(updateLicenseKey, { id: licenseKey.id, limit_usage: null }, seller)
  expect(await use(1_000_000)).toMatchObject({ usage: 1_000_003 })
  await expect(use(2 ** 31 - 1)).rejects.toThrow(RequestValidationError)
})

test('a key without an activation limit rejects activations with a reason', async () => {
  await using orders = await startOrders()
  const { held } = await buyLicenseKey(orders, await createLicenseKeyShop(orders))
  await expect(orders.call(activateLicenseKey, { ...held, label: 'laptop' }, anonymous)).rejects.toThrow(NotPermitted)
})

test('activates a key up to its limit; an activation that ends frees a place', async () => {
  await using orders = await startOrders()
  const { held, licenseKey } = await buyLicenseKey(orders, await createLicenseKeyShop(orders, { activations }))
  const activate = (label: string) => orders.call(activateLicenseKey, { ...held, label, meta: { slot: 1.5, main: true } }, anonymous)
  const laptop = await activate('laptop')
  expect(laptop).toMatchObject({ license_key_id: licenseKey.id, label: 'laptop', meta: { slot: 1.5, main: true }, modified_at: null })
  expect(laptop.license_key).toEqual(licenseKey)
  expect(laptop).not.toHaveProperty('conditions')
  await activate('phone')
  await expect(activate('tablet')).rejects.toThrow(NotPermitted)
  const validated = await orders.call(validateLicenseKey, { ...held, activation_id: laptop.id }, anonymous)
  expect(validated.activation).toMatchObject({ id: laptop.id, label: 'laptop' })
  const end = () => orders.call(deactivateLicenseKey, { ...held, activation_id: laptop.id }, anonymous)
  expect(await end()).toBeNull()
  await expect(end()).rejects.toThrow(ResourceNotFound)
  await expect(orders.call(validateLicenseKey, { ...held, activation_id: laptop.id }, anonymous)).rejects.toThrow(ResourceNotFound)
  expect(await activate('tablet')).toMatchObject({ label: 'tablet' })
})

test('an activation belongs to its key', async () => {
  await using orders = await startOrders()
  const shop = await createLicenseKeyShop(orders, { activations })
  const [ada, bob] = [await buyLicenseKey(orders, shop), await buyLicenseKey(orders, shop, 'bob@example.com')]
  const { id: activation_id } = await orders.call(activateLicenseKey, { ...ada.held, label: 'laptop' }, anonymous)
  await expect(orders.call(validateLicenseKey, { ...bob.held, activation_id }, anonymous)).rejects.toThrow(ResourceNotFound)
  await expect(orders.call(deactivateLicenseKey, { ...bob.held, activation_id }, anonymous)).rejects.toThrow(ResourceNotFound)
  expect(await orders.call(validateLicenseKey, { ...ada.held, activation_id }, anonymous)).toMatchObject({ validations: 1 })
})

test('an activation with conditions is only valid with the same ones, in any order', async () => {
  await using orders = await startOrders()
  const { held } = await buyLicenseKey(orders, await createLicenseKeyShop(orders, { activations }))
  const bound = await orders.call(activateLicenseKey, { ...held, label: 'laptop', conditions: { major: 2, os: 'linux' } }, anonymous)
  const free = await orders.call(activateLicenseKey, { ...held, label: 'phone' }, anonymous)
  const validate = (activation_id: string, conditions?: Record<string, string | number>) =>
    orders.call(validateLicenseKey, { ...held, activation_id, ...(conditions && { conditions }) }, anonymous)
  await validate(bound.id, { os: 'linux', major: 2 })
  for (const wrong of [undefined, {}, { major: 2 }, { major: '2', os: 'linux' }, { major: 2, os: 'linux', arch: 'arm' }]) {
    await expect(validate(bound.id, wrong)).rejects.toThrow(ResourceNotFound)
  }
  await validate(free.id)
  await validate(free.id, { anything: 'goes' })
})

test('meta and conditions are objects of at most 50 keys', async () => {
  await using orders = await startOrders()
  const { held } = await buyLicenseKey(orders, await createLicenseKeyShop(orders, { activations }))
  const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`key ${index}`, index]))
  const activate = (request: object) => orders.call(activateLicenseKey, { ...held, label: 'laptop', ...request }, anonymous)
  for (const wrong of [{ meta: keys(51) }, { conditions: keys(51) }, { meta: { list: [] } }, { conditions: { nothing: null } }]) {
    await expect(activate(wrong)).rejects.toThrow(RequestValidationError)
  }
  expect(await activate({ meta: keys(50), conditions: keys(50) })).toMatchObject({ meta: keys(50) })
})

test('fifty concurrent activations succeed up to the limit and never beyond it', async () => {
  await using orders = await startOrders()
  const terms = { activations: { limit: 7, enable_customer_admin: true } }
  const { held, licenseKey, seller } = await buyLicenseKey(orders, await createLicenseKeyShop(orders, terms))
  const attempts = Array.from({ length: 50 }, (_, index) =>
    orders.call(activateLicenseKey, { ...held, label: `device ${index}` }, anonymous).then(
      () => 'activated',
      (error: Error) => error.name,
    ),
  )
  const outcomes = Object.groupBy(await Promise.all(attempts), (outcome) => outcome)
  expect(Object.keys(outcomes).toSorted()).toEqual(['NotPermitted', 'activated'])
  expect(outcomes['activated']).toHaveLength(7)
  expect((await orders.call(getLicenseKey, { id: licenseKey.id }, seller)).activations).toHaveLength(7)
})

test('fifty concurrent uses succeed up to the limit, and each validation is counted once', async () => {
  await using orders = await startOrders()
  const { held, licenseKey, seller } = await buyLicenseKey(orders, await createLicenseKeyShop(orders, { limit_usage: 20 }))
  const attempts = Array.from({ length: 50 }, () =>
    orders.call(validateLicenseKey, { ...held, increment_usage: 1 }, anonymous).then(
      () => 'used',
      (error: Error) => error.name,
    ),
  )
  const outcomes = Object.groupBy(await Promise.all(attempts), (outcome) => outcome)
  expect(Object.keys(outcomes).toSorted()).toEqual(['RequestValidationError', 'used'])
  expect(outcomes['used']).toHaveLength(20)
  expect(await orders.call(getLicenseKey, { id: licenseKey.id }, seller)).toMatchObject({ usage: 20, validations: 20 })
})
