import { randomUUID } from 'node:crypto'
import { confirmCheckout, createCheckout, PaymentError } from '@quittance/contracts/checkouts'
import { createCustomer } from '@quittance/contracts/customers'
import { addCustomerPaymentMethod } from '@quittance/contracts/customer-payment-methods'
import { checkPaymentAccount, updatePaymentAccount } from '@quittance/contracts/payment-accounts'
import { getPayment } from '@quittance/contracts/payments'
import { customerCaller } from '@quittance/testing/callers'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { asThisRelease } from './money.ts'
import { readEvents } from './read-events.ts'
import { startOrders } from './start-orders.ts'
import { deliverEvent, startStripeShop, type StripeShop } from './stripe-shop.ts'
import { advance, after, replaceMethods, subscribe, waitForSubscription } from './subscribe.ts'

async function buy({ orders, shop, fake, stripe }: StripeShop, card: string): Promise<void> {
  const { client_secret } = await orders.call(createCheckout, { products: [shop.product.id] }, shop.seller)
  const confirmation_token_id = fake.buyer.createToken(stripe.id, card)
  const confirmation = { client_secret, confirmation_token_id, customer_email: `${randomUUID()}@example.com` }
  await orders.call(confirmCheckout, confirmation, { kind: 'anonymous' })
}

test('a dispute is published as created once, and as updated with each change', async () => {
  await using world = await startStripeShop()
  const { orders, fake, stripe } = world
  await buy(world, 'pm_card_createDispute')
  for (let count = 0; count < 3; count++) await deliverEvent(world, 'charge.dispute.created')
  await eventually(async () => expect(await readEvents(orders, 'event.dispute.created')).toHaveLength(1))
  const [created] = await readEvents(orders, 'event.dispute.created')
  expect(created?.payload).toMatchObject({ order_id: created?.aggregate_id, amount: 4200, provider: 'stripe' })
  const handled = () => orders.rows(`select from provider_events where object_kind = 'dispute' and handled_at is not null`)
  await eventually(async () => expect(await handled()).toHaveLength(1))
  // The same state is read again.
  await orders.rows(`update provider_events set handled_at = null, next_try_at = now() where object_kind = 'dispute' returning 1`)
  await eventually(async () => expect(await handled()).toHaveLength(1))
  expect(await readEvents(orders, 'event.dispute.updated')).toEqual([])
  const [dispute] = [...fake.state(stripe.id).disputes.keys()]
  fake.bank.closeDispute(stripe.id, dispute ?? '', 'won')
  await deliverEvent(world, 'charge.dispute.closed')
  await eventually(async () => expect(await readEvents(orders, 'event.dispute.updated')).toMatchObject([{ payload: { status: 'won' } }]))
  await deliverEvent(world, 'charge.dispute.closed')
  expect(await readEvents(orders, 'event.dispute.created')).toHaveLength(1)
})

test('a declined payment is published with its order and reason, and no secret of the buyer [payments 53]', async () => {
  await using orders = await startOrders()
  const { product, seller } = await orders.shop()
  const { client_secret } = await orders.call(createCheckout, { products: [product.id] }, seller)
  const confirmation = { client_secret, confirmation_token_id: 'ctoken_expired', customer_email: `${randomUUID()}@example.com` }
  await expect(orders.call(confirmCheckout, confirmation, { kind: 'anonymous' })).rejects.toThrow(PaymentError)
  const [failed, ...others] = await readEvents(orders, 'event.order.payment_failed')
  expect(others).toEqual([])
  const payment = { order_id: failed?.aggregate_id, status: 'failed', decline_reason: 'expired_card' }
  expect(failed?.payload).toMatchObject({ id: failed?.aggregate_id, status: 'pending', payment })
  expect(JSON.stringify(failed)).not.toContain('ctoken')
  expect(await readEvents(orders, 'event.order.payment_action_required')).toEqual([])
})

test('a payment is published when it starts, and when its seller learns more, as an event of its order [payments 53]', async () => {
  await using world = await startStripeShop()
  const { orders, fake, stripe } = world
  await buy(world, 'pm_card_authenticationRequired')
  const [created] = await readEvents(orders, 'event.payment.created')
  const { id, order_id: orderId } = created?.payload ?? {}
  expect(created).toMatchObject({ aggregate_id: orderId, payload: { status: 'pending', pending_reason: 'waiting_for_provider' } })
  // A check that finds the same is not published.
  const [{ theirs } = { theirs: '' }] = await orders.rows<{ theirs: string }>('select provider_payment as theirs from payments')
  await asThisRelease(orders, 'update payments set next_check_at = now()')
  await eventually(async () => expect(await orders.rows('select from payments where next_check_at > now()')).toHaveLength(1))
  fake.buyer.completeAction(stripe.id, theirs)
  await deliverEvent(world, 'payment_intent.succeeded')
  await eventually(async () => expect(await orders.rows(`select from payments where state = 'succeeded'`)).toHaveLength(1))
  const updated = await readEvents(orders, 'event.payment.updated')
  expect(updated).toMatchObject([
    { aggregate_id: orderId, payload: { id, status: 'pending', pending_reason: 'waiting_for_buyer' } },
    { aggregate_id: orderId, payload: { id, status: 'succeeded', amount: 4200, provider: 'stripe', pending_reason: null } },
  ])
  expect(JSON.stringify([created, updated])).not.toMatch(/secret|pi_|ctoken/)
  const shown = await orders.call(getPayment, { id }, world.shop.seller)
  expect(updated[1]?.payload).toEqual(shown)
})

test('a final decline of a renewal is published as one that needs the buyer, once [payments 54]', async () => {
  await using orders = await startOrders()
  const subscribed = await subscribe(orders)
  await replaceMethods(orders, 'ctoken_needs_buyer_later')
  await advance(orders, subscribed, after(subscribed.subscription.current_period_end))
  await waitForSubscription(orders, subscribed, { status: 'past_due' })
  const [needed, ...others] = await readEvents(orders, 'event.order.payment_action_required')
  expect(needed?.payload).toMatchObject({ billing_reason: 'subscription_cycle', payment: { decline_reason: 'authentication_required' } })
  expect(others).toEqual([])
})

test('a soft decline of a renewal is published as failed, and needs no buyer', async () => {
  await using orders = await startOrders()
  const subscribed = await subscribe(orders)
  await replaceMethods(orders, 'ctoken_insufficient_funds')
  await advance(orders, subscribed, after(subscribed.subscription.current_period_end))
  await waitForSubscription(orders, subscribed, { status: 'past_due' })
  expect(await readEvents(orders, 'event.order.payment_failed')).toHaveLength(1)
  expect(await readEvents(orders, 'event.order.payment_action_required')).toEqual([])
})

const unauthorized = {
  kind: 'text' as const,
  status: 401,
  text: JSON.stringify({ error: { type: 'invalid_request_error', message: 'Invalid API Key provided' } }),
}

test('a rejected key is published once, until a check finds the account healthy again [payments 33]', async () => {
  await using world = await startStripeShop()
  const { orders, shop, account, stripe, fake } = world
  const unhealthy = () => readEvents(orders, 'event.payment_account.unhealthy')
  const { id: customerId } = await orders.call(createCustomer, { email: `${randomUUID()}@example.com` }, shop.seller)
  const buyer = customerCaller({ organizationId: shop.organizationId, customerId })
  const add = () =>
    orders
      .call(addCustomerPaymentMethod, { confirmation_token_id: fake.buyer.createToken(stripe.id, 'pm_card_visa') }, buyer)
      .catch((error: unknown) => error)
  const reject = () => fake.inject({ route: 'POST /v1/customers', moment: 'before', fault: unauthorized, times: 20 })
  reject()
  for (let count = 0; count < 2; count++) expect(await add()).toBeInstanceOf(PaymentError)
  const [published, ...others] = await unhealthy()
  expect(published).toMatchObject({ aggregate_id: account.id, payload: { id: account.id, health: { is_healthy: false } } })
  expect(others).toEqual([])
  expect(JSON.stringify(published)).not.toContain(stripe.apiKey)
  expect(await orders.call(checkPaymentAccount, { id: account.id }, shop.seller)).toMatchObject({ health: { is_healthy: true } })
  expect(await add()).toBeInstanceOf(PaymentError)
  expect(await unhealthy()).toHaveLength(2)
  await orders.call(updatePaymentAccount, { id: account.id, secret_key: stripe.apiKey }, shop.seller)
  expect(await unhealthy()).toHaveLength(2)
})
