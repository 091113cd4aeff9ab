import { randomUUID } from 'node:crypto'
import type { Caller } from '@quittance/contracts/caller'
import { confirmCheckout, createCheckout } from '@quittance/contracts/checkouts'
import {
  authenticateCustomerSession,
  CustomerSessionCodeInvalidOrExpired,
  requestCustomerSession,
} from '@quittance/contracts/customer-codes'
import { listCustomerOrders } from '@quittance/contracts/customer-portal'
import { createCustomerSession, verifyCustomerSession } from '@quittance/contracts/customer-sessions'
import { createCustomer, customerUpdated, deleteCustomer, getCustomer, updateCustomer } from '@quittance/contracts/customers'
import { InvalidToken, NotPermitted, RequestValidationError, ResourceNotFound, TooManyRequests } from '@quittance/contracts/errors'
import { listOrders } from '@quittance/contracts/orders'
import { requestEmailUpdate, verifyEmailUpdate, getPortalCustomer, updatePortalCustomer } from '@quittance/contracts/portal-customers'
import { hashToken } from '@quittance/runtime/credential'
import { customerCaller } from '@quittance/testing/callers'
import { expect, test } from 'vitest'
import { readCode } from './read-code.ts'
import { readEvents } from './read-events.ts'
import { startOrders, type OrdersUnderTest } from './start-orders.ts'

const anonymous = { kind: 'anonymous' } as const
const createAddress = () => `Reader-${randomUUID()}@example.com`

async function startShop() {
  const orders = await startOrders()
  const shop = await orders.shop()
  const { seller, organizationId } = shop
  const addCustomer = async () => {
    const customer = await orders.call(createCustomer, { email: createAddress(), external_id: randomUUID(), locale: 'de' }, seller)
    return { customer, caller: customerCaller({ organizationId, customerId: customer.id }) }
  }
  return { orders, ...shop, addCustomer, ...(await addCustomer()), [Symbol.asyncDispose]: () => orders[Symbol.asyncDispose]() }
}

async function requestCode(orders: OrdersUnderTest, caller: Caller, email: string) {
  await orders.call(requestEmailUpdate, { email }, caller)
  return readCode(orders)
}

const verify = (orders: OrdersUnderTest, caller: Caller, token: string) => orders.call(verifyEmailUpdate, { token }, caller)
const wrongCode = CustomerSessionCodeInvalidOrExpired

test('who types the address of a stranger in the portal gets no purchase that the stranger makes', async () => {
  await using given = await startShop()
  const { orders, seller, product, customer, caller } = given
  const email = createAddress()
  expect(await orders.call(updatePortalCustomer, { email }, caller)).toMatchObject({ email: customer.email })
  const { client_secret } = await orders.call(createCheckout, { products: [product.id] }, seller)
  const purchase = { client_secret, customer_email: email, confirmation_token_id: 'ctoken_ok' }
  await orders.call(confirmCheckout, purchase, anonymous)
  const [order] = (await orders.call(listOrders, {}, seller)).items
  expect(order?.customer.email).toBe(email)
  const opened = await orders.call(createCustomerSession, { external_customer_id: customer.external_id as string }, seller)
  const session = await orders.call(verifyCustomerSession, { hash: hashToken(opened.token) }, anonymous)
  expect((await orders.call(listCustomerOrders, {}, session.caller)).items).toEqual([])
  expect(order?.customer_id).not.toBe(customer.id)
})

test('a code mailed to the new address changes it once, publishes once, and exchanges all sessions for a new one', async () => {
  await using given = await startShop()
  const { orders, seller, customer, caller } = given
  const opened = await orders.call(createCustomerSession, { customer_id: customer.id }, seller)
  const email = createAddress()
  const { event, code } = await requestCode(orders, caller, email)
  expect(event).toMatchObject({ purpose: 'email_update', customer_id: customer.id, recipient: email, locale: 'de' })
  expect(await orders.call(getPortalCustomer, {}, caller)).toMatchObject({ email: customer.email })
  const session = await verify(orders, caller, ` ${code.toLowerCase().replace('-', ' ')} `)
  expect(Date.parse(session.expires_at) - Date.now()).toBeGreaterThan(11.9 * 3_600_000)
  const { caller: renewed } = await orders.call(verifyCustomerSession, { hash: hashToken(session.token) }, anonymous)
  expect(renewed).toMatchObject({ kind: 'customer', customer_id: customer.id, checkout_id: null, proof: 'code' })
  await expect(orders.call(verifyCustomerSession, { hash: hashToken(opened.token) }, anonymous)).rejects.toThrow(InvalidToken)
  expect(await orders.call(getPortalCustomer, {}, renewed)).toMatchObject({ email, email_verified: true })
  const updated = await readEvents(orders, customerUpdated.subject)
  expect(updated.map(({ payload }) => payload)).toEqual([await orders.call(getCustomer, { id: customer.id }, seller)])
  await expect(verify(orders, renewed, code)).rejects.toThrow(wrongCode)
})

test('a code of one purpose does not work for the other', async () => {
  await using given = await startShop()
  const { orders, organizationId: organization_id, customer, caller } = given
  const email = createAddress()
  const update = await requestCode(orders, caller, email)
  for (const address of [email, customer.email])
    await expect(
      orders.call(authenticateCustomerSession, { organization_id, email: address, code: update.code }, anonymous),
    ).rejects.toThrow(wrongCode)
  await orders.call(requestCustomerSession, { organization_id, email: customer.email }, anonymous)
  const signIn = await readCode(orders)
  expect(signIn.event).toMatchObject({ purpose: 'sign_in', recipient: customer.email })
  await expect(verify(orders, caller, signIn.code)).rejects.toThrow(wrongCode)
  // Neither has ended the other.
  await orders.call(authenticateCustomerSession, { organization_id, email: customer.email, code: signIn.code }, anonymous)
  await verify(orders, caller, update.code)
})

test('a code names an address exactly if it changes one, and a customer has one open code', async () => {
  await using given = await startShop()
  const { orders, caller } = given
  await requestCode(orders, caller, createAddress())
  for (const change of [`purpose = 'sign_in'`, 'new_email = null', 'customer_id = null'])
    await expect(orders.rows(`update customer_codes set ${change}`)).rejects.toThrow('customer_codes_update_names')
  const copy = `insert into customer_codes (id, organization_id, customer_id, purpose, address_hash, new_email, code_hash, expires_at)
    select gen_random_uuid(), organization_id, customer_id, purpose, address_hash, new_email, code_hash, expires_at from customer_codes`
  await expect(orders.rows(copy)).rejects.toThrow('customer_codes_one_open_update')
})

test('five wrong codes end a code, and so does a request for another address', async () => {
  await using given = await startShop()
  const { orders, caller } = given
  const first = await requestCode(orders, caller, createAddress())
  // Together, so that none of them is counted twice or not at all.
  const wrong = await Promise.allSettled(Array.from({ length: 5 }, () => verify(orders, caller, 'AAA-AAA')))
  expect(wrong.every(({ status }) => status === 'rejected')).toBe(true)
  await expect(verify(orders, caller, first.code)).rejects.toThrow(wrongCode)
  const second = await requestCode(orders, caller, createAddress())
  const third = await requestCode(orders, caller, createAddress())
  await expect(verify(orders, caller, second.code)).rejects.toThrow(wrongCode)
  await verify(orders, caller, third.code)
})

test('a code ends after 15 minutes', async () => {
  await using given = await startShop()
  const { orders, caller } = given
  const { code } = await requestCode(orders, caller, createAddress())
  await orders.rows(`update customer_codes set expires_at = now() - interval '1 second'`)
  await expect(verify(orders, caller, code)).rejects.toThrow(wrongCode)
})

test('an address of another customer gets the same reply, limit and writes, and no code that works', async () => {
  await using given = await startShop()
  const { orders, addCustomer } = given
  const taken = (await addCustomer()).customer.email
  const seen: unknown[] = []
  for (const email of [createAddress(), taken, taken.toUpperCase()]) {
    // Codes of one address are counted for all customers.
    await orders.rows(`update customer_codes set created_at = now() - interval '16 minutes'`)
    const { customer, caller } = await addCustomer()
    const before = await orders.rows('select from customer_codes')
    const codes = []
    expect(await orders.call(updatePortalCustomer, { email }, caller)).toMatchObject({ email: customer.email })
    codes.push(await readCode(orders))
    for (let requested = 1; requested < 3; requested++) codes.push(await requestCode(orders, caller, email))
    await expect(orders.call(requestEmailUpdate, { email }, caller)).rejects.toThrow(TooManyRequests)
    const written = (await orders.rows('select from customer_codes')).length - before.length
    seen.push([written, codes.map(({ event }) => Object.keys(event))])
    const isTaken = email.toLowerCase() === taken.toLowerCase()
    const mailed = isTaken ? { customer_id: null, recipient: null } : { customer_id: customer.id, recipient: email }
    for (const { event } of codes) expect(event).toMatchObject(mailed)
    if (isTaken) await expect(verify(orders, caller, codes[2]?.code ?? '')).rejects.toThrow('The code is wrong or has expired.')
  }
  expect(seen[1]).toEqual(seen[0])
  expect(seen[2]).toEqual(seen[0])
})

test('of two customers who prove one address at the same time one gets it; for the other the code is wrong', async () => {
  await using given = await startShop()
  const { orders, seller, caller, addCustomer } = given
  const email = createAddress()
  const other = await addCustomer()
  const attempts = [
    { caller, ...(await requestCode(orders, caller, email)) },
    { caller: other.caller, ...(await requestCode(orders, other.caller, email.toLowerCase())) },
  ]
  const outcomes = await Promise.allSettled(attempts.map((each) => verify(orders, each.caller, each.code)))
  const failed = outcomes.flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : []))
  expect(failed).toEqual([expect.any(CustomerSessionCodeInvalidOrExpired)])
  const emails = await orders.rows<{ email: string }>('select email from customers where lower(email) = lower($1)', [email])
  expect(emails).toHaveLength(1)
  expect(await readEvents(orders, customerUpdated.subject)).toHaveLength(1)
  // The same for one that the seller gives to another customer before the code is entered.
  const late = createAddress()
  const { code } = await requestCode(orders, caller, late)
  await orders.call(createCustomer, { email: late.toUpperCase() }, seller)
  await expect(verify(orders, caller, code)).rejects.toThrow(wrongCode)
})

test('a code works in a session of the whole customer who requested it, and in no other', async () => {
  await using given = await startShop()
  const { orders, seller, organizationId, customer, caller, addCustomer } = given
  const other = await addCustomer()
  const { code } = await requestCode(orders, caller, createAddress())
  const bound = customerCaller({ organizationId, customerId: customer.id, checkoutId: randomUUID() })
  const elsewhere = customerCaller({ organizationId: randomUUID(), customerId: customer.id })
  for (const stranger of [other.caller, elsewhere]) await expect(verify(orders, stranger, code)).rejects.toThrow(wrongCode)
  for (const wrong of [bound, seller]) {
    await expect(verify(orders, wrong, code)).rejects.toThrow(NotPermitted)
    await expect(orders.call(requestEmailUpdate, { email: createAddress() }, wrong)).rejects.toThrow(NotPermitted)
  }
  await verify(orders, caller, code)
})

test('requests are counted by customer, and by network except in sessions that the seller made', async () => {
  await using given = await startShop()
  const { orders, organizationId, caller, addCustomer } = given
  for (let requested = 0; requested < 5; requested++) await orders.call(requestEmailUpdate, { email: createAddress() }, caller)
  await expect(orders.call(requestEmailUpdate, { email: createAddress() }, caller)).rejects.toThrow(TooManyRequests)
  await expect(orders.call(updatePortalCustomer, { email: createAddress(), name: 'Ada' }, caller)).rejects.toThrow(TooManyRequests)
  await orders.rows(`update customer_codes set created_at = now() - interval '61 minutes'`)
  await orders.call(requestEmailUpdate, { email: createAddress() }, caller)
  const openSession = async (proof: 'seller' | 'code' | null) => {
    const { customer } = await addCustomer()
    return { ...customerCaller({ organizationId, customerId: customer.id, proof }), network: '203.0.113.7' } as Caller
  }
  for (let customers = 0; customers < 4; customers++) {
    const typed = await openSession(customers % 2 === 0 ? null : 'code')
    for (let requested = 0; requested < 5; requested++) await orders.call(requestEmailUpdate, { email: createAddress() }, typed)
  }
  await expect(orders.call(requestEmailUpdate, { email: createAddress() }, await openSession(null))).rejects.toThrow(TooManyRequests)
  await orders.call(requestEmailUpdate, { email: createAddress() }, await openSession('seller'))
})

test('the own address in any case is no change; other details apply at once', async () => {
  await using given = await startShop()
  const { orders, seller, customer, caller } = given
  const same = customer.email.toUpperCase()
  expect(await orders.call(updatePortalCustomer, { email: same, name: 'Ada' }, caller)).toMatchObject({
    email: customer.email,
    name: 'Ada',
  })
  await expect(orders.call(requestEmailUpdate, { email: same }, caller)).rejects.toThrow(RequestValidationError)
  expect(await orders.rows('select from customer_codes')).toEqual([])
  const email = createAddress()
  const changed = await orders.call(updatePortalCustomer, { email, name: 'Grace' }, caller)
  expect(changed).toMatchObject({ email: customer.email, name: 'Grace' })
  // A seller vouches for an address, and not by a member of the request.
  const request = { id: customer.id, email: createAddress(), email_verified: true }
  expect(await orders.call(updateCustomer, request, seller)).toMatchObject({ email: request.email, email_verified: false })
})

test('a deleted customer requests and proves nothing', async () => {
  await using given = await startShop()
  const { orders, seller, customer, caller } = given
  const { code } = await requestCode(orders, caller, createAddress())
  await orders.call(deleteCustomer, { id: customer.id }, seller)
  await expect(verify(orders, caller, code)).rejects.toThrow(wrongCode)
  await expect(orders.call(requestEmailUpdate, { email: createAddress() }, caller)).rejects.toThrow(ResourceNotFound)
})
