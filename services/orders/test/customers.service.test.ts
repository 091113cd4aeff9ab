import { randomUUID } from 'node:crypto'
import { confirmCheckout, createCheckout } from '@quittance/contracts/checkouts'
import {
  createCustomer,
  customerCreated,
  customerDeleted,
  customerUpdated,
  deleteCustomer,
  deleteCustomerByExternalId,
  getCustomer,
  getCustomerByExternalId,
  listCustomers,
  updateCustomer,
  updateCustomerByExternalId,
} from '@quittance/contracts/customers'
import { Conflict, RequestValidationError, ResourceNotFound } from '@quittance/contracts/errors'
import { getOrder, orderCreated } from '@quittance/contracts/orders'
import { organizationCaller, userCaller } from '@quittance/testing/callers'
import { expect, test } from 'vitest'
import { startOrders } from './start-orders.ts'

test('creates a customer, publishes it and finds it again', async () => {
  await using orders = await startOrders()
  const seller = organizationCaller(randomUUID())
  const address = { country: 'us', state: 'ca', city: ' Los Angeles ', line1: '1 Main Street', line2: ' ', postal_code: '90001' }
  const customer = await orders.call(createCustomer, { email: 'ada@example.com', external_id: 'u-1', billing_address: address }, seller)
  expect(customer).toMatchObject({
    external_id: 'u-1',
    billing_address: { country: 'US', state: 'US-CA', city: 'Los Angeles', line2: null },
  })
  expect(await orders.nextEvent(customerCreated)).toEqual(customer)
  expect(await orders.call(getCustomer, { id: customer.id }, seller)).toEqual(customer)
})

test('e-mail address, ignoring case, and external id are unique per organization', async () => {
  await using orders = await startOrders()
  const seller = organizationCaller(randomUUID())
  await orders.call(createCustomer, { email: 'ada@example.com', external_id: 'u-1' }, seller)
  await expect(orders.call(createCustomer, { email: 'ADA@example.com' }, seller)).rejects.toThrow(/email/)
  await expect(orders.call(createCustomer, { email: 'bob@example.com', external_id: 'u-1' }, seller)).rejects.toThrow(/external/)
  expect(await orders.call(createCustomer, { email: 'ada@example.com', external_id: 'u-1' }, organizationCaller(randomUUID()))).toBeTruthy()
})

test('an external id stays once set; a new e-mail address is unverified', async () => {
  await using orders = await startOrders()
  const seller = organizationCaller(randomUUID())
  const { id } = await orders.call(createCustomer, { email: 'ada@example.com', external_id: 'u-1' }, seller)
  await expect(orders.call(updateCustomer, { id, external_id: 'u-2' }, seller)).rejects.toThrow(RequestValidationError)
  const changed = await orders.call(updateCustomer, { id, email: 'countess@example.com', name: 'Ada' }, seller)
  expect(changed).toMatchObject({ email: 'countess@example.com', email_verified: false, name: 'Ada', external_id: 'u-1' })
  expect(await orders.nextEvent(customerUpdated)).toEqual(changed)
})

test('returns not found for another organization’s customer', async () => {
  await using orders = await startOrders()
  const { id } = await orders.call(createCustomer, { email: 'ada@example.com' }, organizationCaller(randomUUID()))
  const stranger = organizationCaller(randomUUID())
  await expect(orders.call(getCustomer, { id }, stranger)).rejects.toThrow(ResourceNotFound)
  await expect(orders.call(updateCustomer, { id, name: 'x' }, stranger)).rejects.toThrow(ResourceNotFound)
  await expect(orders.call(deleteCustomer, { id }, stranger)).rejects.toThrow(ResourceNotFound)
  expect((await orders.call(listCustomers, { query: 'ada' }, stranger)).items).toEqual([])
})

test('a customer has a tax id with its format until null removes it', async () => {
  await using orders = await startOrders()
  const seller = organizationCaller(randomUUID())
  const { id, tax_id } = await orders.call(createCustomer, { email: 'ada@example.com', tax_id: ['GB123456782', 'gb_vat'] }, seller)
  expect(tax_id).toEqual(['GB123456782', 'gb_vat'])
  await expect(orders.call(updateCustomer, { id, tax_id: ['1', 'xx_vat'] }, seller)).rejects.toThrow(/tax_id/)
  expect(await orders.call(updateCustomer, { id, tax_id: null }, seller)).toMatchObject({ tax_id: null })
})

test('reads, changes and deletes a customer by external id as by id', async () => {
  await using orders = await startOrders()
  const seller = organizationCaller(randomUUID())
  const customer = await orders.call(createCustomer, { email: 'ada@example.com', external_id: 'u/1 é' }, seller)
  const external_id = 'u/1 é'
  expect(await orders.call(getCustomerByExternalId, { external_id }, seller)).toEqual(customer)
  const changed = await orders.call(updateCustomerByExternalId, { external_id, name: 'Ada' }, seller)
  expect(changed).toMatchObject({ id: customer.id, name: 'Ada', external_id })
  expect(await orders.nextEvent(customerUpdated)).toEqual(changed)
  await orders.call(createCustomer, { email: 'bob@example.com' }, seller)
  await expect(orders.call(updateCustomerByExternalId, { external_id, email: 'bob@example.com' }, seller)).rejects.toThrow(
    RequestValidationError,
  )
  expect(await orders.call(deleteCustomerByExternalId, { external_id }, seller)).toBeNull()
  expect(await orders.nextEvent(customerDeleted)).toMatchObject({ id: customer.id })
})

test.each([getCustomerByExternalId, updateCustomerByExternalId, deleteCustomerByExternalId])(
  '$subject: unknown and foreign ids are not found, ambiguous ones are rejected',
  async (operation) => {
    await using orders = await startOrders()
    const organizationIds = [randomUUID(), randomUUID()]
    for (const each of organizationIds) {
      await orders.call(createCustomer, { email: 'ada@example.com', external_id: 'u-1' }, organizationCaller(each))
    }
    const ask = (external_id: string, caller: Parameters<typeof orders.call>[2]) => orders.call(operation, { external_id }, caller)
    await expect(ask('u-2', organizationCaller(organizationIds[0] as string))).rejects.toThrow(ResourceNotFound)
    await expect(ask('u-1', organizationCaller(randomUUID()))).rejects.toThrow(ResourceNotFound)
    await expect(ask('u-1', userCaller({ userId: randomUUID(), organizationIds }))).rejects.toThrow(Conflict)
    expect(await orders.rows('select from customers where deleted_at is null')).toHaveLength(2)
  },
)

test.each(['.', '..'])('rejects the external id “%s”, which no URL can name; a customer who has it stays readable', async (external_id) => {
  await using orders = await startOrders()
  const { seller, product } = await orders.shop()
  const { id } = await orders.call(createCustomer, { email: 'ada@example.com' }, seller)
  const writes = [
    orders.call(createCustomer, { email: 'bob@example.com', external_id }, seller),
    orders.call(updateCustomer, { id, external_id }, seller),
    orders.call(createCheckout, { products: [product.id], external_customer_id: external_id }, seller),
    orders.call(createCheckout, { products: [product.id], customer_external_id: external_id }, seller),
  ]
  for (const outcome of await Promise.allSettled(writes)) {
    expect(outcome).toMatchObject({ status: 'rejected', reason: expect.any(RequestValidationError) })
  }
  const longer = `${external_id}a`
  expect(await orders.call(createCustomer, { email: 'bob@example.com', external_id: longer }, seller)).toMatchObject({
    external_id: longer,
  })
  await orders.rows('update customers set external_id = $1 where id = $2', [external_id, id])
  expect(await orders.call(getCustomer, { id }, seller)).toMatchObject({ external_id })
  expect(await orders.call(getCustomerByExternalId, { external_id }, seller)).toMatchObject({ id })
  expect(await orders.call(updateCustomer, { id, name: 'Ada' }, seller)).toMatchObject({ external_id, name: 'Ada' })
})

test('a deleted customer remains only in orders; address and external id are free again', async () => {
  await using orders = await startOrders()
  const { order, seller } = await orders.paidOrder({ billed: true })
  const id = order.customer_id
  await orders.call(updateCustomer, { id, external_id: 'u-1', metadata: { tier: 2 } }, seller)
  expect(await orders.call(deleteCustomer, { id }, seller)).toBeNull()
  const deleted = await orders.nextEvent(customerDeleted)
  expect(deleted).toMatchObject({ id, external_id: null, metadata: { tier: 2, __external_id: 'u-1' }, deleted_at: expect.any(String) })
  expect((await orders.call(getOrder, { id: order.id }, seller)).customer).toEqual(deleted)
  await expect(orders.call(getCustomer, { id }, seller)).rejects.toThrow(ResourceNotFound)
  await expect(orders.call(updateCustomer, { id, name: 'x' }, seller)).rejects.toThrow(ResourceNotFound)
  await expect(orders.call(deleteCustomer, { id }, seller)).rejects.toThrow(ResourceNotFound)
  expect((await orders.call(listCustomers, {}, seller)).items).toEqual([])
  const next = await orders.call(createCustomer, { email: order.customer.email, external_id: 'u-1' }, seller)
  expect(next.id).not.toBe(id)
})

test('a checkout whose customer was deleted creates a new customer', async () => {
  await using orders = await startOrders()
  const { seller, product } = await orders.shop()
  const { id } = await orders.call(createCustomer, { email: 'ada@example.com' }, seller)
  const { client_secret } = await orders.call(createCheckout, { products: [product.id], customer_id: id }, seller)
  await orders.call(deleteCustomer, { id }, seller)
  const confirmed = await orders.call(confirmCheckout, { client_secret, confirmation_token_id: 'ctoken_ok' }, { kind: 'anonymous' })
  expect(confirmed.customer_id).not.toBe(id)
  expect(await orders.call(getCustomer, { id: confirmed.customer_id as string }, seller)).toMatchObject({ email: 'ada@example.com' })
})

test('stores and publishes new details from a purchase, and publishes nothing without them', async () => {
  await using orders = await startOrders()
  const { seller, product } = await orders.shop()
  const { id } = await orders.call(createCustomer, { email: 'ada@example.com' }, seller)
  const buy = async () => {
    const { client_secret } = await orders.call(createCheckout, { products: [product.id], customer_id: id }, seller)
    const details = { customer_name: 'Ada', customer_billing_address: { country: 'GB', city: 'London' } }
    const confirmation = { client_secret, confirmation_token_id: 'ctoken_ok', ...details }
    await orders.call(confirmCheckout, confirmation, { kind: 'anonymous' })
    await orders.nextEvent(orderCreated)
  }
  await buy()
  expect(await orders.nextEvent(customerUpdated)).toEqual(await orders.call(getCustomer, { id }, seller))
  await buy()
  expect(orders.publishedEvents.filter(({ subject }) => subject === customerUpdated.subject)).toHaveLength(1)
})

test('one of concurrent creations with the same address succeeds, the others get a reason', async () => {
  await using orders = await startOrders()
  const seller = organizationCaller(randomUUID())
  // The first round opens the connections, so that the next ones overlap.
  for (const email of ['a@example.com', 'b@example.com', 'c@example.com']) {
    const attempts = Array.from({ length: 8 }, () => orders.call(createCustomer, { email, external_id: email }, seller))
    const outcomes = await Promise.allSettled(attempts)
    const rejections = outcomes.filter((outcome) => outcome.status === 'rejected').map(({ reason }) => reason as unknown)
    expect(rejections).toHaveLength(7)
    for (const reason of rejections) expect(reason).toBeInstanceOf(RequestValidationError)
  }
})

test('one of a concurrent creation and change to an address succeeds, the other gets a reason', async () => {
  await using orders = await startOrders()
  const seller = organizationCaller(randomUUID())
  const { id } = await orders.call(createCustomer, { email: 'ada@example.com' }, seller)
  for (let round = 0; round < 20; round++) {
    const email = `round-${round}@example.com`
    const attempts = [orders.call(createCustomer, { email }, seller), orders.call(updateCustomer, { id, email }, seller)]
    const outcomes = await Promise.allSettled(attempts)
    const rejections = outcomes.filter((outcome) => outcome.status === 'rejected').map(({ reason }) => reason as unknown)
    expect(rejections).toEqual([expect.any(RequestValidationError)])
  }
})

test('concurrent purchases by the same new buyer belong to one customer', async () => {
  await using orders = await startOrders()
  const { seller, product } = await orders.shop()
  for (const customer_email of ['a@example.com', 'b@example.com']) {
    const checkouts = await Promise.all(Array.from({ length: 6 }, () => orders.call(createCheckout, { products: [product.id] }, seller)))
    const confirmed = await Promise.all(
      checkouts.map(({ client_secret }) =>
        orders.call(confirmCheckout, { client_secret, customer_email, confirmation_token_id: 'ctoken_ok' }, { kind: 'anonymous' }),
      ),
    )
    expect(new Set(confirmed.map(({ customer_id }) => customer_id)).size).toBe(1)
  }
})

test('lists customers by address, text and metadata, sorted by every property', async () => {
  await using orders = await startOrders()
  const seller = organizationCaller(randomUUID())
  await orders.call(createCustomer, { email: 'ada@example.com', name: 'Zoe', metadata: { tier: 2, vip: true } }, seller)
  await orders.call(createCustomer, { email: 'Bob@example.com', name: 'Ann', metadata: { tier: '3' } }, seller)
  await orders.call(createCustomer, { email: 'carol@example.com', name: 'Max' }, seller)
  const emails = async (request: object) => (await orders.call(listCustomers, request, seller)).items.map(({ email }) => email)
  expect(await emails({})).toEqual(['carol@example.com', 'Bob@example.com', 'ada@example.com'])
  expect(await emails({ sorting: 'email' })).toEqual(['ada@example.com', 'Bob@example.com', 'carol@example.com'])
  expect(await emails({ sorting: ['name'] })).toEqual(['Bob@example.com', 'carol@example.com', 'ada@example.com'])
  expect(await emails({ sorting: 'created_at' })).toEqual(['ada@example.com', 'Bob@example.com', 'carol@example.com'])
  expect(await emails({ email: 'BOB@EXAMPLE.COM' })).toEqual(['Bob@example.com'])
  expect(await emails({ query: 'BOB@' })).toEqual(['Bob@example.com'])
  expect(await emails({ query: 'zo' })).toEqual(['ada@example.com'])
  expect(await emails({ query: '%' })).toEqual([])
  expect(await emails({ metadata: { tier: ['2', '3'] }, sorting: 'email' })).toEqual(['ada@example.com', 'Bob@example.com'])
  expect(await emails({ metadata: { tier: '2', vip: 'true' } })).toEqual(['ada@example.com'])
  expect(await emails({ metadata: { tier: '3', vip: 'true' } })).toEqual([])
  expect(await emails({ organization_id: [randomUUID()] })).toEqual([])
})
