import { confirmCheckout, createCheckout, getCheckoutByClient } from '@quittance/contracts/checkouts'
import { addCustomerPaymentMethod, PaymentMethodActionRequired } from '@quittance/contracts/customer-payment-methods'
import { ResourceNotFound } from '@quittance/contracts/errors'
import { listPayments } from '@quittance/contracts/payments'
import { completeSandboxAction } from '@quittance/contracts/sandbox'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { expectMoneyToAddUp } from './money.ts'
import { startOrders, type OrdersUnderTest } from './start-orders.ts'
import { advance, after, buyPlan, waitForSubscription } from './subscribe.ts'

const anonymous = { kind: 'anonymous' } as const

/** Confirms a checkout, and returns its secret and that of the step of the bank. */
async function confirm(orders: OrdersUnderTest, token: string) {
  const { seller, product } = await orders.shop()
  const { client_secret } = await orders.call(createCheckout, { products: [product.id] }, seller)
  const request = { client_secret, customer_email: 'ada@example.com', confirmation_token_id: token }
  const { payment_processor_metadata: metadata } = await orders.call(confirmCheckout, request, anonymous)
  expect(metadata).toMatchObject({ provider: 'sandbox', intent_status: 'requires_action', intent_client_secret: expect.any(String) })
  const secret = metadata['intent_client_secret'] ?? ''
  const waitFor = (status: string) =>
    eventually(async () => expect(await orders.call(getCheckoutByClient, { client_secret }, anonymous)).toMatchObject({ status }))
  return { seller, secret, waitFor }
}

const complete = (orders: OrdersUnderTest, secret: string) => orders.call(completeSandboxAction, { secret }, anonymous)

test('a buyer who completes the step of the bank has paid, once', async () => {
  await using orders = await startOrders()
  const { secret, waitFor } = await confirm(orders, 'ctoken_action')
  expect(await Promise.all([complete(orders, secret), complete(orders, secret)])).toEqual([
    { status: 'succeeded' },
    { status: 'succeeded' },
  ])
  await waitFor('succeeded')
  expect(await complete(orders, secret)).toEqual({ status: 'succeeded' })
  expect(await orders.rows(`select from payments where state = 'succeeded'`)).toHaveLength(1)
  await expectMoneyToAddUp(orders)
})

test('a step that the bank rejects opens the checkout again', async () => {
  await using orders = await startOrders()
  const { seller, secret, waitFor } = await confirm(orders, 'ctoken_action_fails')
  expect(await complete(orders, secret)).toEqual({ status: 'failed' })
  await waitFor('open')
  const { items } = await orders.call(listPayments, {}, seller)
  expect(items).toMatchObject([{ status: 'failed', decline_reason: 'authentication_failed' }])
  expect(await complete(orders, secret)).toEqual({ status: 'failed' })
})

test('a step after the end of its time charges nothing', async () => {
  await using orders = await startOrders()
  const { secret, waitFor } = await confirm(orders, 'ctoken_action')
  await orders.rows('update payments set action_until = now(), next_check_at = now() returning 1')
  await waitFor('open')
  expect(await complete(orders, secret)).toEqual({ status: 'failed' })
  expect(await orders.rows('select from payments where captured_amount is not null')).toEqual([])
})

test('only the secret of a step completes one', async () => {
  await using orders = await startOrders()
  const { secret } = await confirm(orders, 'ctoken_action')
  const { subscription } = await buyPlan(orders, await orders.shop(), { token: 'ctoken_pending' })
  const [pending] = await orders.rows<{ id: string }>(`select id from sandbox_objects where token = 'ctoken_pending'`)
  const others = [secret.replace('_secret', ''), `${secret}_secret`, `${pending?.id}_secret`, `${subscription.id}_secret`, '_secret']
  for (const other of others) await expect(complete(orders, other)).rejects.toThrow(ResourceNotFound)
  expect(await orders.rows(`select from sandbox_objects where status = 'succeeded'`)).toEqual([])
})

test('a method whose step was completed is charged while the buyer is absent', async () => {
  await using orders = await startOrders()
  const subscribed = await buyPlan(orders, await orders.shop(), { token: 'ctoken_action' })
  const [open] = await orders.rows<{ secret: string }>(`select action->>'clientSecret' as secret from payments where is_open`)
  await complete(orders, open?.secret ?? '')
  const { current_period_end: end } = await waitForSubscription(orders, subscribed, { status: 'active' })
  await advance(orders, subscribed, after(end))
  await eventually(async () =>
    expect(await orders.rows(`select state from payments where initiator = 'schedule'`)).toEqual([{ state: 'succeeded' }]),
  )
  const adding = orders.call(addCustomerPaymentMethod, { confirmation_token_id: 'ctoken_action' }, subscribed.buyer)
  const rejection = await adding.catch((error: unknown) => error)
  expect(rejection).toBeInstanceOf(PaymentMethodActionRequired)
  await complete(orders, (rejection as { body: { client_secret: string } }).body.client_secret)
  await eventually(async () => expect(await orders.rows('select state from payment_setups')).toEqual([{ state: 'succeeded' }]))
})
