import { randomUUID } from 'node:crypto'
import { confirmCheckout, createCheckout, ExpiredCheckoutError, getCheckoutByClient, PaymentError } from '@quittance/contracts/checkouts'
import { getCustomerSubscription } from '@quittance/contracts/customer-subscriptions'
import { RequestValidationError } from '@quittance/contracts/errors'
import { listOrders } from '@quittance/contracts/orders'
import { resolvePayment } from '@quittance/contracts/payment-operations'
import { createProduct } from '@quittance/contracts/products'
import { getSubscription } from '@quittance/contracts/subscriptions'
import { customerCaller } from '@quittance/testing/callers'
import { eventually } from '@quittance/testing/eventually'
import { explain, recordStatements } from '@quittance/testing/record-statements'
import { expect, test } from 'vitest'
import { copyRows } from './copy-rows.ts'
import { expectMoneyToAddUp } from './money.ts'
import { startOrders, type OrdersUnderTest } from './start-orders.ts'
import { advance, after, waitForSubscription } from './subscribe.ts'

const anonymous = { kind: 'anonymous' } as const

/** Creates a checkout of a product with a trial of a month, which needs a payment method. */
async function openTrial(orders: OrdersUnderTest) {
  const shop = await orders.shop()
  const price = { amount_type: 'fixed' as const, price_amount: 1000 }
  const trial = { trial_interval: 'month' as const, trial_interval_count: 1 }
  const product = await orders.call(createProduct, { name: 'Plan', recurring_interval: 'month', prices: [price], ...trial }, shop.seller)
  const checkout = await orders.call(createCheckout, { products: [product.id] }, shop.seller)
  const confirm = (token: string | null) =>
    orders.call(
      confirmCheckout,
      { client_secret: checkout.client_secret, customer_email: 'ada@example.com', confirmation_token_id: token },
      anonymous,
    )
  const readSubscription = async () => {
    const [row] = await orders.rows<{ id: string }>(`select id from subscriptions where status <> 'incomplete_expired'`)
    return { ...shop, subscription: await orders.call(getSubscription, { id: row?.id ?? randomUUID() }, shop.seller) }
  }
  return { ...shop, checkout, confirm, readSubscription }
}

test('a trial with a payment method stores it, and charges it once at the end [payments 73]', async () => {
  await using orders = await startOrders()
  const { checkout, confirm, readSubscription, seller } = await openTrial(orders)
  expect(checkout).toMatchObject({ is_payment_required: false, is_payment_setup_required: true, is_payment_form_required: true })
  await confirm('ctoken_ok')
  const started = await readSubscription()
  expect(started.subscription).toMatchObject({ status: 'trialing', trial_end: started.subscription.current_period_end })
  expect((await orders.call(listOrders, {}, seller)).items).toMatchObject([{ status: 'paid', total_amount: 0 }])
  expect(await orders.rows('select from payments')).toEqual([])
  const buyer = customerCaller({ organizationId: started.organizationId, customerId: started.subscription.customer_id })
  const seen = await orders.call(getCustomerSubscription, { id: started.subscription.id }, buyer)
  expect(seen).toMatchObject({ status: 'trialing', has_payment_method: true })
  await advance(orders, started, after(started.subscription.trial_end))
  await waitForSubscription(orders, started, { status: 'active', current_period_start: started.subscription.trial_end as string })
  expect(await orders.rows('select amount::int, state from payments')).toEqual([{ amount: 1000, state: 'succeeded' }])
  expect(await orders.rows('select from orders')).toHaveLength(2)
  await expectMoneyToAddUp(orders)
})

test('without a token, or with a declined method, no trial starts, and it is not used up [payments 73]', async () => {
  await using orders = await startOrders()
  const { checkout, confirm, readSubscription } = await openTrial(orders)
  await expect(confirm(null)).rejects.toThrow(RequestValidationError)
  await expect(confirm('ctoken_insufficient_funds')).rejects.toThrow(PaymentError)
  const { client_secret } = checkout
  await eventually(async () =>
    expect(await orders.call(getCheckoutByClient, { client_secret }, anonymous)).toMatchObject({ status: 'open' }),
  )
  expect(await orders.rows('select status from subscriptions')).toEqual([{ status: 'incomplete_expired' }])
  expect(await orders.rows('select from trial_redemptions')).toEqual([])
  await confirm('ctoken_ok')
  const { subscription } = await readSubscription()
  expect(subscription).toMatchObject({ status: 'trialing' })
})

test('the trial of a declined method is found by indexes', async () => {
  using statements = recordStatements()
  await using orders = await startOrders()
  const { confirm } = await openTrial(orders)
  await expect(confirm('ctoken_insufficient_funds')).rejects.toThrow(PaymentError)
  const release = await eventually(() => statements.find('delete from trial_redemptions'))
  await eventually(async () => expect(await orders.rows(`select from checkouts where status = 'open'`)).toHaveLength(1))
  await confirm('ctoken_ok')
  const changed = `jsonb_build_object('customer_id', gen_random_uuid(), 'subscription_id', gen_random_uuid(), 'checkout_id', gen_random_uuid())`
  for (const table of ['trial_redemptions', 'orders', 'subscriptions']) await copyRows(orders, { table, count: 5000, changed })
  await orders.rows('analyze trial_redemptions, orders, subscriptions')
  expect(await explain(orders, release)).not.toContain('Seq Scan')
})

test('a trial that waits for the bank of the buyer gives no access', async () => {
  await using orders = await startOrders()
  const { confirm, readSubscription } = await openTrial(orders)
  const reply = await confirm('ctoken_action')
  expect(reply).toMatchObject({ payment_processor_metadata: { intent_status: 'requires_action' } })
  expect((await readSubscription()).subscription).toMatchObject({ status: 'incomplete', started_at: null })
})

test('a trial starts once the operator decides that its payment method is stored [payments 80]', async () => {
  await using orders = await startOrders()
  const { confirm, readSubscription, seller } = await openTrial(orders)
  await confirm('ctoken_action')
  const [setup] = await orders.rows<{ id: string }>(
    `update payment_setups set quarantined_at = now(), quarantine_reason = 'a test' returning id`,
  )
  await orders.rows(`update sandbox_objects set status = 'succeeded' returning 1`)
  const decision = { id: setup?.id ?? '', as: 'succeeded', because: 'Stored at the provider' } as const
  await orders.call(resolvePayment, decision, { kind: 'operator' })
  expect((await readSubscription()).subscription).toMatchObject({ status: 'trialing' })
  expect((await orders.call(listOrders, {}, seller)).items).toMatchObject([{ status: 'paid', total_amount: 0 }])
})

test('cards are not tested by trials: after ten declined methods a checkout ends [payments 55]', async () => {
  await using orders = await startOrders()
  const { confirm } = await openTrial(orders)
  for (let count = 0; count < 10; count++) await expect(confirm('ctoken_insufficient_funds')).rejects.toThrow(PaymentError)
  await expect(confirm('ctoken_ok')).rejects.toThrow(ExpiredCheckoutError)
})
