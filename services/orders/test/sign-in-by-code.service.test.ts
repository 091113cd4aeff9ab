import { randomUUID } from 'node:crypto'
import {
  authenticateCustomerSession,
  customerCodeRequested,
  CustomerSessionCodeInvalidOrExpired,
  mailSecretContext,
  requestCustomerSession,
} from '@quittance/contracts/customer-codes'
import type { PayloadOf } from '@quittance/contracts/event'
import { createCustomer, getCustomer, updateCustomer } from '@quittance/contracts/customers'
import { verifyCustomerSession } from '@quittance/contracts/customer-sessions'
import { TooManyRequests } from '@quittance/contracts/errors'
import { hashToken } from '@quittance/runtime/credential'
import { openSecret } from '@quittance/runtime/encryption'
import { expect, test } from 'vitest'
import { startOrders, type OrdersUnderTest, type Shop } from './start-orders.ts'

const key = Buffer.alloc(32, 3)
process.env['MAIL_KEY'] = key.toString('base64')

const anonymous = { kind: 'anonymous' } as const

async function startShop() {
  const orders = await startOrders()
  const shop = await orders.shop()
  const email = `Buyer-${randomUUID()}@example.com`
  const customer = await orders.call(createCustomer, { email }, shop.seller)
  return { orders, shop, email, customer, [Symbol.asyncDispose]: () => orders[Symbol.asyncDispose]() }
}

const openCode = ({ code_id, sealed_code }: PayloadOf<typeof customerCodeRequested>) =>
  openSecret(sealed_code, { keys: [key], context: mailSecretContext('customer_code', code_id) })

async function requestCode({ orders, shop, email }: { orders: OrdersUnderTest; shop: Shop; email: string }) {
  await orders.call(requestCustomerSession, { organization_id: shop.organizationId, email }, anonymous)
  const event = await orders.nextEvent(customerCodeRequested)
  return { event, code: openCode(event) }
}

const signIn = (orders: OrdersUnderTest, request: { organization_id: string; email: string; code: string }) =>
  orders.call(authenticateCustomerSession, request, anonymous)

test('a code opens a session once, in any case, with or without its dash [pages 64]', async () => {
  await using given = await startShop()
  const { orders, shop, email, customer } = given
  const { event, code } = await requestCode(given)
  expect(code).toMatch(/^[2-9A-HJKMNP-TV-Z]{3}-[2-9A-HJKMNP-TV-Z]{3}$/)
  expect(event).toMatchObject({ customer_id: customer.id, recipient: email })
  const typed = { organization_id: shop.organizationId, email: email.toUpperCase(), code: ` ${code.toLowerCase().replace('-', ' ')} ` }
  const session = await signIn(orders, typed)
  expect(Date.parse(session.expires_at) - Date.now()).toBeGreaterThan(11.9 * 3_600_000)
  const { caller } = await orders.call(verifyCustomerSession, { hash: hashToken(session.token) }, anonymous)
  expect(caller).toMatchObject({ kind: 'customer', customer_id: customer.id, checkout_id: null })
  expect((await orders.call(getCustomer, { id: customer.id }, shop.seller)).email_verified).toBe(true)
  await expect(signIn(orders, typed)).rejects.toThrow(CustomerSessionCodeInvalidOrExpired)
})

test('a code for an address that the customer no longer has opens no session and verifies nothing', async () => {
  await using given = await startShop()
  const { orders, shop, email, customer } = given
  const { code } = await requestCode(given)
  await orders.call(updateCustomer, { id: customer.id, email: `${randomUUID()}@example.com` }, shop.seller)
  await expect(signIn(orders, { organization_id: shop.organizationId, email, code })).rejects.toThrow(CustomerSessionCodeInvalidOrExpired)
  expect((await orders.call(getCustomer, { id: customer.id }, shop.seller)).email_verified).toBe(false)
})

test('five wrong codes end a code; so does a new one [pages 65]', async () => {
  await using given = await startShop()
  const { orders, shop, email } = given
  const { code } = await requestCode(given)
  const typed = { organization_id: shop.organizationId, email }
  // Together, so that none of them is counted twice or not at all.
  const wrong = await Promise.allSettled(Array.from({ length: 5 }, () => signIn(orders, { ...typed, code: 'AAA-AAA' })))
  expect(wrong.every(({ status }) => status === 'rejected')).toBe(true)
  await expect(signIn(orders, { ...typed, code })).rejects.toThrow(CustomerSessionCodeInvalidOrExpired)
  const second = await requestCode(given)
  const third = await requestCode(given)
  await expect(signIn(orders, { ...typed, code: second.code })).rejects.toThrow(CustomerSessionCodeInvalidOrExpired)
  await signIn(orders, { ...typed, code: third.code })
})

test('a code ends after 15 minutes [pages 64]', async () => {
  await using given = await startShop()
  const { orders, shop, email } = given
  const { code } = await requestCode(given)
  await orders.rows(`update customer_codes set expires_at = now() - interval '1 second'`)
  await expect(signIn(orders, { organization_id: shop.organizationId, email, code })).rejects.toThrow(CustomerSessionCodeInvalidOrExpired)
})

test('known and unknown addresses get one reply, one limit and the same writes [pages 63]', async () => {
  await using given = await startShop()
  const { orders, shop, email } = given
  const writes: unknown[] = []
  for (const address of [email, `unknown-${randomUUID()}@example.com`]) {
    const before = await orders.rows('select from customer_codes')
    for (let requested = 0; requested < 3; requested++) {
      const request = { organization_id: shop.organizationId, email: address }
      expect(await orders.call(requestCustomerSession, request, anonymous)).toBeNull()
    }
    await expect(orders.call(requestCustomerSession, { organization_id: shop.organizationId, email: address }, anonymous)).rejects.toThrow(
      TooManyRequests,
    )
    const events = [await orders.nextEvent(customerCodeRequested), await orders.nextEvent(customerCodeRequested)]
    writes.push([(await orders.rows('select from customer_codes')).length - before.length, events.map((event) => Object.keys(event))])
    const known = address === email
    expect((await orders.nextEvent(customerCodeRequested)).recipient).toBe(known ? email : null)
    await expect(signIn(orders, { organization_id: shop.organizationId, email: address, code: 'AAA-AAA' })).rejects.toThrow(
      CustomerSessionCodeInvalidOrExpired,
    )
  }
  expect(writes[0]).toEqual(writes[1])
})

test('a code of one organization opens nothing at another, nor with another address', async () => {
  await using given = await startShop()
  const { orders, shop, email } = given
  const other = await orders.shop()
  await orders.call(createCustomer, { email }, other.seller)
  const neighbour = await orders.call(createCustomer, { email: `n-${email}` }, shop.seller)
  const { code } = await requestCode(given)
  for (const typed of [
    { organization_id: other.organizationId, email },
    { organization_id: shop.organizationId, email: neighbour.email },
  ])
    await expect(signIn(orders, { ...typed, code })).rejects.toThrow(CustomerSessionCodeInvalidOrExpired)
  await signIn(orders, { organization_id: shop.organizationId, email, code })
})

test('a code of a deleted customer opens nothing', async () => {
  await using given = await startShop()
  const { orders, shop, email, customer } = given
  const { code } = await requestCode(given)
  await orders.rows('update customers set deleted_at = now() where id = $1', [customer.id])
  await expect(signIn(orders, { organization_id: shop.organizationId, email, code })).rejects.toThrow(CustomerSessionCodeInvalidOrExpired)
})

test('codes cannot be read in the outbox, the stream or a table [pages 89]', async () => {
  await using given = await startShop()
  const { orders } = given
  const { code } = await requestCode(given)
  const stored: string[] = []
  for (const table of ['customer_codes', 'outbox_messages', 'idempotent_replies', 'customers'])
    stored.push(...(await orders.rows<{ text: string }>(`select to_jsonb(t)::text as text from ${table} t`)).map(({ text }) => text))
  stored.push(JSON.stringify(orders.publishedEvents))
  expect(stored.join('\n')).toContain('sealed_code')
  for (const form of [code, code.replace('-', '')]) expect(stored.filter((text) => text.includes(form))).toEqual([])
})
