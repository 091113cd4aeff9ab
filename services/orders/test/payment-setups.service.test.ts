import { randomUUID } from 'node:crypto'
import type { Caller } from '@quittance/contracts/caller'
import { PaymentError } from '@quittance/contracts/checkouts'
import {
  addCustomerPaymentMethod,
  confirmCustomerPaymentMethod,
  deleteCustomerPaymentMethod,
  listCustomerPaymentMethods,
  PaymentMethodActionRequired,
  setDefaultCustomerPaymentMethod,
} from '@quittance/contracts/customer-payment-methods'
import { createCustomer, deleteCustomer } from '@quittance/contracts/customers'
import { NotPermitted, ResourceNotFound, RequestValidationError, TooManyRequests } from '@quittance/contracts/errors'
import { call } from '@quittance/runtime/rpc-client'
import { customerCaller, organizationCaller } from '@quittance/testing/callers'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { readEvents } from './read-events.ts'
import { startOrders, type OrdersUnderTest, type Shop } from './start-orders.ts'
import { advance, after, subscribe } from './subscribe.ts'

interface Buying extends Shop {
  customerId: string
  buyer: Caller
}

async function createBuyer(orders: OrdersUnderTest, { seller }: Pick<Shop, 'seller'>): Promise<string> {
  return (await orders.call(createCustomer, { email: `${randomUUID()}@example.com` }, seller)).id
}

async function startBuyer(orders: OrdersUnderTest): Promise<Buying> {
  const shop = await orders.shop()
  const customerId = await createBuyer(orders, shop)
  return { ...shop, customerId, buyer: customerCaller({ organizationId: shop.organizationId, customerId }) }
}

const add = (orders: OrdersUnderTest, { buyer, ...more }: { buyer: Caller; set_default?: boolean; return_url?: string }, token: string) => {
  const { set_default, return_url } = more
  return orders.call(addCustomerPaymentMethod, { confirmation_token_id: token, set_default, return_url }, buyer)
}

const list = async (orders: OrdersUnderTest, { buyer }: { buyer: Caller }) =>
  (await orders.call(listCustomerPaymentMethods, {}, buyer)).items

const readSetups = (orders: OrdersUnderTest) =>
  orders.rows<{ id: string; state: string }>('select id, state, action, failure_reason, quarantine_reason from payment_setups')

/** Adds a method that the buyer has to confirm; returns the body of the error. */
async function addWithAction(orders: OrdersUnderTest, buying: Buying): Promise<{ setup_id: string; client_secret: string }> {
  const rejection = await add(orders, buying, 'ctoken_action').catch((error: unknown) => error)
  expect(rejection).toBeInstanceOf(PaymentMethodActionRequired)
  return (rejection as { body: { setup_id: string; client_secret: string } }).body
}

test('stores a payment method without a charge; the first is the default [payments 75]', async () => {
  await using orders = await startOrders()
  const buying = await startBuyer(orders)
  const stored = await add(orders, buying, 'ctoken_ok')
  expect(stored).toMatchObject({
    status: 'succeeded',
    customer_id: buying.customerId,
    type: 'card',
    default: true,
    card: { last4: '4242' },
  })
  expect(await list(orders, buying)).toEqual([stored.payment_method])
  expect(await orders.rows('select kind, status, amount from sandbox_objects')).toEqual([
    { kind: 'setup', status: 'succeeded', amount: null },
  ])
  expect(await orders.rows('select from payments')).toEqual([])
  expect(await orders.rows('select from ledger_entries')).toEqual([])
})

test('a method that is added as the default is the one that renewals are charged with', async () => {
  await using orders = await startOrders()
  const subscribed = await subscribe(orders)
  const beside = await add(orders, subscribed, 'ctoken_refund_pending')
  expect(beside).toMatchObject({ default: false })
  const chosen = await add(orders, { ...subscribed, set_default: true }, 'ctoken_refund_bounces')
  expect((await list(orders, subscribed)).filter((method) => method.default)).toEqual([chosen.payment_method])
  await advance(orders, subscribed, after(subscribed.subscription.current_period_end))
  await eventually(async () =>
    expect(await orders.rows(`select payment_method_id from payments where initiator = 'schedule'`)).toEqual([
      { payment_method_id: chosen.id },
    ]),
  )
})

test('a method that the buyer must confirm is stored once they did [payments 53]', async () => {
  await using orders = await startOrders()
  const buying = await startBuyer(orders)
  const { setup_id, client_secret } = await addWithAction(orders, buying)
  expect(client_secret).toContain('_secret')
  const confirm = () => orders.call(confirmCustomerPaymentMethod, { setup_id }, buying.buyer)
  await expect(confirm()).rejects.toThrow(PaymentMethodActionRequired)
  expect(await list(orders, buying)).toEqual([])
  await orders.rows(`update sandbox_objects set status = 'succeeded' where ours = $1 returning 1`, [setup_id])
  const stored = await confirm()
  expect(await list(orders, buying)).toEqual([stored.payment_method])
  expect(await confirm()).toEqual(stored)
  expect(await readSetups(orders)).toMatchObject([{ state: 'succeeded', action: null }])
  expect(await orders.rows('select from outbox_messages where payload::text like $1', [`%${client_secret}%`])).toEqual([])
})

test('a declined method is not stored, and cannot be confirmed', async () => {
  await using orders = await startOrders()
  const buying = await startBuyer(orders)
  await expect(add(orders, buying, 'ctoken_expired')).rejects.toThrow(PaymentError)
  const [setup] = await readSetups(orders)
  expect(setup).toMatchObject({ state: 'failed', failure_reason: 'declined' })
  await expect(orders.call(confirmCustomerPaymentMethod, { setup_id: setup?.id ?? '' }, buying.buyer)).rejects.toThrow(PaymentError)
  expect(await orders.rows('select status from sandbox_objects')).toEqual([{ status: 'canceled' }])
  expect(await list(orders, buying)).toEqual([])
})

test('a token that does not exist is a PaymentError, and nothing is written [payments 55]', async () => {
  await using orders = await startOrders()
  const buying = await startBuyer(orders)
  await expect(add(orders, buying, 'ctoken_unknown')).rejects.toThrow(PaymentError)
  await expect(add(orders, { ...buying, return_url: 'javascript:alert(1)' }, 'ctoken_ok')).rejects.toThrow(RequestValidationError)
  const notAnId = { setup_id: 'seti_1' } as never
  await expect(orders.call(confirmCustomerPaymentMethod, notAnId, buying.buyer)).rejects.toThrow(RequestValidationError)
  expect([await readSetups(orders), await orders.rows('select from payers')]).toEqual([[], []])
})

test('a setup whose answer was lost is read, and stores one method [payments 27]', async () => {
  await using orders = await startOrders()
  const buying = await startBuyer(orders)
  expect(await add(orders, buying, 'ctoken_lost_answer')).toMatchObject({ default: true })
  expect(await orders.rows('select submissions from sandbox_objects')).toEqual([{ submissions: 1 }])
})

test('a setup that differs at the provider is quarantined and stores nothing [payments 32]', async () => {
  await using orders = await startOrders()
  const buying = await startBuyer(orders)
  const rejection = await add(orders, buying, 'ctoken_wrong_mode').catch((error: unknown) => error)
  expect(rejection).toBeInstanceOf(PaymentMethodActionRequired)
  expect(rejection).toMatchObject({ body: { client_secret: null } })
  expect(await readSetups(orders)).toMatchObject([{ quarantine_reason: 'mode is live, not test' }])
  expect(await list(orders, buying)).toEqual([])
})

test('a buyer who does not act within 30 minutes ends the setup, and its object is canceled', async () => {
  await using orders = await startOrders()
  const buying = await startBuyer(orders)
  await addWithAction(orders, buying)
  await orders.rows(`update payment_setups set action_until = now(), next_check_at = now() returning 1`)
  await eventually(async () => expect(await readSetups(orders)).toMatchObject([{ state: 'failed', failure_reason: 'abandoned' }]))
  expect(await orders.rows('select status from sandbox_objects')).toEqual([{ status: 'canceled' }])
})

test('ten payment methods within an hour are the most that a customer can try', async () => {
  await using orders = await startOrders()
  const buying = await startBuyer(orders)
  for (let count = 0; count < 10; count++) await add(orders, buying, count % 2 ? 'ctoken_ok' : 'ctoken_lost').catch(() => {})
  expect(await readSetups(orders)).toHaveLength(10)
  await expect(add(orders, buying, 'ctoken_ok')).rejects.toThrow(TooManyRequests)
  await orders.rows(`update payment_setups set created_at = created_at - interval '1 hour' returning 1`)
  await add(orders, buying, 'ctoken_ok')
})

test('other customers and bound sessions neither add a method nor confirm a setup', async () => {
  await using orders = await startOrders()
  const [ada, bob] = [await startBuyer(orders), await startBuyer(orders)]
  const { setup_id } = await addWithAction(orders, ada)
  await orders.rows(`update sandbox_objects set status = 'succeeded' returning 1`)
  const bound = { ...(ada.buyer as object), checkout_id: randomUUID() } as Caller
  const elsewhere = customerCaller({ organizationId: bob.organizationId, customerId: ada.customerId })
  const confirm = (caller: Caller) => orders.call(confirmCustomerPaymentMethod, { setup_id }, caller)
  const neighbor = customerCaller({ organizationId: ada.organizationId, customerId: await createBuyer(orders, ada) })
  for (const caller of [bob.buyer, neighbor, elsewhere]) await expect(confirm(caller)).rejects.toThrow(RequestValidationError)
  for (const caller of [bound, organizationCaller(ada.organizationId)]) await expect(confirm(caller)).rejects.toThrow(NotPermitted)
  for (const caller of [bound, elsewhere, organizationCaller(ada.organizationId)])
    await expect(add(orders, { buyer: caller }, 'ctoken_ok')).rejects.toThrow(NotPermitted)
  expect(await readSetups(orders)).toMatchObject([{ state: 'requires_action' }])
})

test('a setup that succeeds after its customer was deleted is detached at the provider, and published nowhere', async () => {
  await using orders = await startOrders()
  const buying = await startBuyer(orders)
  await addWithAction(orders, buying)
  await orders.call(deleteCustomer, { id: buying.customerId }, buying.seller)
  await orders.rows(`update sandbox_objects set status = 'succeeded' returning 1`)
  await orders.rows(`update payment_setups set next_check_at = now() returning 1`)
  await eventually(async () =>
    expect(await orders.rows('select status, is_default, detach_due_at from payment_methods')).toEqual([
      { status: 'detached', is_default: false, detach_due_at: null },
    ]),
  )
  expect(await readEvents(orders, 'event.payment_method.updated')).toEqual([])
})

test('a repeated key adds no second method, and finds none once it is deleted [payments 14]', async () => {
  await using orders = await startOrders()
  const buying = await startBuyer(orders)
  const request = { confirmation_token_id: 'ctoken_ok' }
  const options = { operation: addCustomerPaymentMethod, request, caller: buying.buyer, idempotencyKey: randomUUID() }
  const stored = await call(orders.connection, options)
  expect(await call(orders.connection, options)).toEqual(stored)
  expect(await readSetups(orders)).toHaveLength(1)
  await orders.call(deleteCustomerPaymentMethod, { id: stored.id }, buying.buyer)
  await expect(call(orders.connection, options)).rejects.toThrow(ResourceNotFound)
  const [setup] = await readSetups(orders)
  await expect(orders.call(confirmCustomerPaymentMethod, { setup_id: setup?.id ?? '' }, buying.buyer)).rejects.toThrow(ResourceNotFound)
})

test('adding a blocked method again does not make it the default', async () => {
  await using orders = await startOrders()
  const buying = await startBuyer(orders)
  const disputed = await add(orders, buying, 'ctoken_ok')
  const other = await add(orders, buying, 'ctoken_refund_pending')
  await orders.call(setDefaultCustomerPaymentMethod, { id: other.id }, buying.buyer)
  await orders.rows(`update payment_methods set status = 'blocked' where id = $1 returning 1`, [disputed.id])
  expect(await add(orders, { ...buying, set_default: true }, 'ctoken_ok')).toMatchObject({ id: disputed.id, default: false })
  expect((await list(orders, buying)).find((method) => method.default)).toMatchObject({ id: other.id })
})
