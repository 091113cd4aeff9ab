import { randomUUID } from 'node:crypto'
import { confirmCheckout, createCheckout } from '@quittance/contracts/checkouts'
import {
  createCustomerSession,
  customerSessionEnded,
  endCustomerSession,
  verifyCustomerSession,
} from '@quittance/contracts/customer-sessions'
import { createCustomer, deleteCustomer } from '@quittance/contracts/customers'
import { Conflict, InvalidToken, RequestValidationError, ServiceUnavailable } from '@quittance/contracts/errors'
import { hashToken } from '@quittance/runtime/credential'
import { customerCaller, organizationCaller, userCaller } from '@quittance/testing/callers'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { startOrders, type OrdersUnderTest, type Shop } from './start-orders.ts'

const anonymous = { kind: 'anonymous' } as const

async function shopWithCustomer(orders: OrdersUnderTest) {
  const shop = await orders.shop()
  return { ...shop, customer: await orders.call(createCustomer, { email: 'ada@example.com', external_id: 'u-1' }, shop.seller) }
}

test('a session names its customer, links to the portal, lasts an hour, and is stored hashed', async () => {
  await using orders = await startOrders()
  const { seller, organizationId, customer } = await shopWithCustomer(orders)
  const session = await orders.call(createCustomerSession, { customer_id: customer.id }, seller)
  expect(session).toMatchObject({ customer, customer_id: customer.id, external_customer_id: 'u-1', customer_external_id: 'u-1' })
  expect(session.customer_portal_url).toBe(`http://127.0.0.1:8080/acme-books/portal?customer_session_token=${session.token}`)
  expect(Date.parse(session.expires_at) - Date.parse(session.created_at)).toBeCloseTo(3_600_000, -3)
  const hash = hashToken(session.token)
  expect(await orders.call(verifyCustomerSession, { hash }, anonymous)).toEqual({
    caller: { ...customerCaller({ organizationId, customerId: customer.id }), token_id: session.id },
    expires_at: expect.any(String),
  })
  const [row] = await orders.rows('select * from customer_sessions')
  expect(row).toMatchObject({ token_hash: hash })
  expect(JSON.stringify(row)).not.toContain(session.token)
})

test.each(['customer_id', 'external_customer_id', 'customer_external_id'] as const)(
  'accepts a customer by %s and rejects an unknown one under that name',
  async (field) => {
    await using orders = await startOrders()
    const { seller, customer } = await shopWithCustomer(orders)
    const id = field === 'customer_id' ? customer.id : 'u-1'
    expect(await orders.call(createCustomerSession, { [field]: id }, seller)).toMatchObject({ customer_id: customer.id })
    const rejection = orders.call(createCustomerSession, { [field]: field === 'customer_id' ? randomUUID() : 'u-2' }, seller)
    await expect(rejection).rejects.toThrow(RequestValidationError)
    await expect(rejection).rejects.toThrow(`body.${field}: `)
    const stranger = organizationCaller(randomUUID())
    await expect(orders.call(createCustomerSession, { [field]: id }, stranger)).rejects.toThrow(RequestValidationError)
  },
)

test('requires a customer', async () => {
  await using orders = await startOrders()
  const { seller } = await orders.shop()
  await expect(orders.call(createCustomerSession, {}, seller)).rejects.toThrow(/customer_id.*Field required/)
})

test('rejects an external id that several organizations of a user have', async () => {
  await using orders = await startOrders()
  const shops = [await shopWithCustomer(orders), await shopWithCustomer(orders)]
  const person = userCaller({ userId: randomUUID(), organizationIds: shops.map(({ organizationId }) => organizationId) })
  await expect(orders.call(createCustomerSession, { external_customer_id: 'u-1' }, person)).rejects.toThrow(Conflict)
})

test('returns 503 and opens no session for an organization that has not been received yet', async () => {
  await using orders = await startOrders()
  const seller = organizationCaller(randomUUID())
  const { id } = await orders.call(createCustomer, { email: 'ada@example.com' }, seller)
  await expect(orders.call(createCustomerSession, { customer_id: id }, seller)).rejects.toThrow(ServiceUnavailable)
  expect(await orders.rows('select from customer_sessions')).toHaveLength(0)
})

test('the token returned by a confirmed checkout is a session of the buyer', async () => {
  await using orders = await startOrders()
  const { seller, product, organizationId }: Shop = await orders.shop()
  const { client_secret } = await orders.call(createCheckout, { products: [product.id] }, seller)
  const confirmation = { client_secret, customer_email: 'ada@example.com', confirmation_token_id: 'ctoken_ok' }
  const { customer_session_token, customer_id } = await orders.call(confirmCheckout, confirmation, anonymous)
  expect(await orders.call(verifyCustomerSession, { hash: hashToken(customer_session_token) }, anonymous)).toMatchObject({
    caller: { kind: 'customer', organization_id: organizationId, customer_id, checkout_id: null, proof: null },
  })
})

test('rejects a session that is unknown, expired or without its customer', async () => {
  await using orders = await startOrders()
  const { seller, customer } = await shopWithCustomer(orders)
  const open = async () => (await orders.call(createCustomerSession, { customer_id: customer.id }, seller)).token
  const verify = (token: string) => orders.call(verifyCustomerSession, { hash: hashToken(token) }, anonymous)
  await expect(verify('qt_cst_unknown')).rejects.toThrow(InvalidToken)
  const expired = await open()
  await orders.rows(`update customer_sessions set expires_at = now()`)
  await expect(verify(expired)).rejects.toThrow(InvalidToken)
  const orphaned = await open()
  await orders.call(deleteCustomer, { id: customer.id }, seller)
  await expect(verify(orphaned)).rejects.toThrow(InvalidToken)
  await expect(orders.call(createCustomerSession, { customer_id: customer.id }, seller)).rejects.toThrow(RequestValidationError)
})

test('a customer cannot open a session', async () => {
  await using orders = await startOrders()
  const { organizationId, customer } = await shopWithCustomer(orders)
  const other = customerCaller({ organizationId, customerId: randomUUID() })
  await expect(orders.call(createCustomerSession, { customer_id: customer.id }, other)).rejects.toThrow(RequestValidationError)
})

test('deletes all expired sessions, however many, and keeps valid ones', async () => {
  await using orders = await startOrders()
  const { seller, organizationId, customer } = await shopWithCustomer(orders)
  const { id } = await orders.call(createCustomerSession, { customer_id: customer.id }, seller)
  await orders.rows(
    `insert into customer_sessions (id, created_at, organization_id, customer_id, token_hash, expires_at)
      select gen_random_uuid(), now(), $1, $2, encode(sha256(n::text::bytea), 'hex'), now() - interval '1 second' from generate_series(1, 2500) n`,
    [organizationId, customer.id],
  )
  await orders.rows(`notify wake, 'sweep-customer-sessions'`)
  await eventually(async () => expect(await orders.rows('select id from customer_sessions')).toEqual([{ id }]))
})

test('signing out ends the session of the token and no other one, and publishes its hash [pages 66]', async () => {
  await using orders = await startOrders()
  const { seller, organizationId, customer } = await shopWithCustomer(orders)
  const open = () => orders.call(createCustomerSession, { customer_id: customer.id }, seller)
  const [first, second] = [await open(), await open()]
  const verify = ({ token }: { token: string }) => orders.call(verifyCustomerSession, { hash: hashToken(token) }, anonymous)
  const own = { kind: 'customer', organization_id: organizationId, customer_id: customer.id, token_id: first.id } as const
  // Neither another customer nor another organization ends it.
  await orders.call(endCustomerSession, {}, { ...own, customer_id: randomUUID() })
  await orders.call(endCustomerSession, {}, { ...own, organization_id: randomUUID() })
  await verify(first)
  expect(await orders.call(endCustomerSession, {}, own)).toBeNull()
  expect(await orders.nextEvent(customerSessionEnded)).toEqual({
    session_id: first.id,
    customer_id: customer.id,
    token_hash: hashToken(first.token),
  })
  await expect(verify(first)).rejects.toThrow(InvalidToken)
  await verify(second)
  expect(await orders.call(endCustomerSession, {}, own)).toBeNull()
})

test('a session that is bound to a purchase is ended by its token too', async () => {
  await using orders = await startOrders()
  const { seller, product, organizationId, customer } = await shopWithCustomer(orders)
  const { client_secret } = await orders.call(createCheckout, { products: [product.id] }, seller)
  const confirmation = { client_secret, customer_email: customer.email, confirmation_token_id: 'ctoken_ok' }
  const { customer_session_token } = await orders.call(confirmCheckout, confirmation, anonymous)
  const { caller } = await orders.call(verifyCustomerSession, { hash: hashToken(customer_session_token) }, anonymous)
  expect(caller).toMatchObject({ organization_id: organizationId, checkout_id: expect.any(String) })
  await orders.call(endCustomerSession, {}, caller)
  await expect(orders.call(verifyCustomerSession, { hash: hashToken(customer_session_token) }, anonymous)).rejects.toThrow(InvalidToken)
})
