import { randomUUID } from 'node:crypto'
import {
  createCustomer,
  customerCreated,
  customerUpdated,
  getCustomer,
  listCustomers,
  updateCustomer,
} from '@quittance/contracts/customers'
import { RequestValidationError, ResourceNotFound } from '@quittance/contracts/errors'
import { organizationCaller } from '@quittance/testing/callers'
import { expect, test } from 'vitest'
import { startOrders } from './start-orders.ts'

test('a customer is created, said, and found again', async () => {
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

test('e-mail address, ignoring case, and external id are unique in an organization and free in another', async () => {
  await using orders = await startOrders()
  const seller = organizationCaller(randomUUID())
  await orders.call(createCustomer, { email: 'ada@example.com', external_id: 'u-1' }, seller)
  await expect(orders.call(createCustomer, { email: 'ADA@example.com' }, seller)).rejects.toThrow(/email/)
  await expect(orders.call(createCustomer, { email: 'bob@example.com', external_id: 'u-1' }, seller)).rejects.toThrow(/external/)
  expect(await orders.call(createCustomer, { email: 'ada@example.com', external_id: 'u-1' }, organizationCaller(randomUUID()))).toBeTruthy()
})

test('an external id, once set, stays; a new e-mail address is not verified', async () => {
  await using orders = await startOrders()
  const seller = organizationCaller(randomUUID())
  const { id } = await orders.call(createCustomer, { email: 'ada@example.com', external_id: 'u-1' }, seller)
  await expect(orders.call(updateCustomer, { id, external_id: 'u-2' }, seller)).rejects.toThrow(RequestValidationError)
  const changed = await orders.call(updateCustomer, { id, email: 'countess@example.com', name: 'Ada' }, seller)
  expect(changed).toMatchObject({ email: 'countess@example.com', email_verified: false, name: 'Ada', external_id: 'u-1' })
  expect(await orders.nextEvent(customerUpdated)).toEqual(changed)
})

test('another organization’s customer is not found', async () => {
  await using orders = await startOrders()
  const { id } = await orders.call(createCustomer, { email: 'ada@example.com' }, organizationCaller(randomUUID()))
  const stranger = organizationCaller(randomUUID())
  await expect(orders.call(getCustomer, { id }, stranger)).rejects.toThrow(ResourceNotFound)
  await expect(orders.call(updateCustomer, { id, name: 'x' }, stranger)).rejects.toThrow(ResourceNotFound)
  expect((await orders.call(listCustomers, { query: 'ada' }, stranger)).items).toEqual([])
})
