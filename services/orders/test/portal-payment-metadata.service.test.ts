import { randomUUID } from 'node:crypto'
import { getPortalOrganization } from '@quittance/contracts/customer-portal'
import { organizationCreated } from '@quittance/contracts/organizations'
import { createPaymentAccount, updatePaymentAccount } from '@quittance/contracts/payment-accounts'
import { organizationCaller } from '@quittance/testing/callers'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { buildOrganization, startOrders, type OrdersUnderTest } from './start-orders.ts'
import { buildAccountRequest, sharedFake } from './stripe-shop.ts'
import { bankAccount } from './transfer-shop.ts'

/** Creates a seller, and returns how its portal can charge a new payment method. */
async function openPortal(orders: OrdersUnderTest, slug: string) {
  const id = randomUUID()
  await orders.emit(organizationCreated, { ...buildOrganization(id), slug }, { organizationId: id, aggregateId: id })
  const readMetadata = async () => (await orders.call(getPortalOrganization, { slug }, { kind: 'anonymous' })).payment_processor_metadata
  await eventually(readMetadata)
  return { seller: organizationCaller(id), readMetadata }
}

test('the portal names the account that charges new payment methods, of its seller only', async () => {
  const fake = await sharedFake()
  await using orders = await startOrders()
  const [own, other] = [await openPortal(orders, 'own-books'), await openPortal(orders, 'other-books')]
  expect(await own.readMetadata()).toEqual({ provider: 'sandbox' })
  const stripe = fake.createAccount()
  const request = { ...buildAccountRequest(stripe), publishable_key: stripe.publishableKey }
  const account = await orders.call(createPaymentAccount, request, own.seller)
  expect(await own.readMetadata()).toEqual({ provider: 'stripe', publishable_key: stripe.publishableKey })
  expect(await other.readMetadata()).toEqual({ provider: 'sandbox' })
  await orders.call(updatePaymentAccount, { id: account.id, status: 'disabled' }, own.seller)
  expect(await own.readMetadata()).toEqual({ provider: 'sandbox' })
})

test('the portal names no account where buyers send the money, and no sandbox beside a live account', async () => {
  const fake = await sharedFake()
  await using orders = await startOrders()
  const [bankOnly, live] = [await openPortal(orders, 'bank-books'), await openPortal(orders, 'live-books')]
  const bank = { provider: 'bank_transfer', bank: bankAccount } as const
  const account = await orders.call(createPaymentAccount, { ...bank, mode: 'live' }, bankOnly.seller)
  expect(await bankOnly.readMetadata()).toEqual({})
  await orders.call(updatePaymentAccount, { id: account.id, is_default: true }, bankOnly.seller)
  expect(await bankOnly.readMetadata()).toEqual({})
  const request = { ...buildAccountRequest(fake.createAccount({ mode: 'live' })), is_default: false }
  await orders.call(createPaymentAccount, request, live.seller)
  expect(await live.readMetadata()).toEqual({})
})
