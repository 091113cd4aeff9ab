import { randomUUID } from 'node:crypto'
import { confirmCheckout, createCheckout, ExpiredCheckoutError, getCheckoutByClient, PaymentError } from '@quittance/contracts/checkouts'
import { ResourceNotFound } from '@quittance/contracts/errors'
import { getOrder, orderPaid } from '@quittance/contracts/orders'
import { listStuckPayments, recheckPayment, showPayment } from '@quittance/contracts/payment-operations'
import { listPayments } from '@quittance/contracts/payments'
import { updateProduct } from '@quittance/contracts/products'
import { listRefunds } from '@quittance/contracts/refunds'
import { revokeSubscription } from '@quittance/contracts/subscriptions'
import { call } from '@quittance/runtime/rpc-client'
import { eventually } from '@quittance/testing/eventually'
import { startService } from '@quittance/runtime/service'
import { expect, test } from 'vitest'
import { orders as service } from '../src/service.ts'
import { expectMoneyToAddUp } from './money.ts'
import { hang, useTestProcessor } from './slow-processor.ts'
import { startOrders, type OrdersUnderTest, type Shop } from './start-orders.ts'
import { advance, after, buyPlan, replaceMethods, subscribe, waitForSubscription } from './subscribe.ts'

const anonymous = { kind: 'anonymous' } as const
const operator = { kind: 'operator' } as const
const lost = { unknown: 'timeout', sent: true, retryAfterMs: null } as const

async function open(orders: OrdersUnderTest, { seller, product }: Shop): Promise<string> {
  return (await orders.call(createCheckout, { products: [product.id] }, seller)).client_secret
}

function confirm(orders: OrdersUnderTest, client_secret: string, token = 'ctoken_ok') {
  return orders.call(confirmCheckout, { client_secret, customer_email: 'ada@example.com', confirmation_token_id: token }, anonymous)
}

/** Lets minutes pass for open payments, and checks them now. */
function passMinutes(orders: OrdersUnderTest, minutes: number, which = 'is_open') {
  const columns = ['created_at', 'sent_at', 'first_sent_at', 'unanswered_since']
  const earlier = columns.map((column) => `${column} = ${column} - interval '${minutes} minutes'`).join(', ')
  return orders.rows(`update payments set ${earlier}, next_check_at = now(), leased_until = null where ${which} returning id`)
}

async function waitForState(orders: OrdersUnderTest, state: string): Promise<void> {
  await eventually(async () => expect(await orders.rows('select state from payments')).toEqual([{ state }]))
}

test('a repeated call has the same key and bytes after a restart and a renamed product [payments 12]', async () => {
  await using orders = await startOrders()
  const shop = await orders.shop()
  using processor = useTestProcessor()
  processor.instead.prepare = async () => lost
  const confirmed = confirm(orders, await open(orders, shop))
  await eventually(() => expect(processor.calls.prepare.length).toBeGreaterThan(0))
  await orders.call(updateProduct, { id: shop.product.id, name: 'Renamed' }, shop.seller)
  await confirmed
  await orders.restart()
  delete processor.instead.prepare
  await passMinutes(orders, 1)
  await waitForState(orders, 'succeeded')
  const bodies = new Map<string, Set<string>>()
  for (const { key, body } of processor.sent) bodies.set(key, (bodies.get(key) ?? new Set()).add(body))
  expect([...bodies.values()].map(({ size }) => size)).toEqual([1, 1, 1])
  expect(processor.sent.length).toBeGreaterThan(3)
})

test('one Idempotency-Key confirms once, with the same outcome [payments 14]', async () => {
  await using orders = await startOrders()
  const shop = await orders.shop()
  for (const [token, outcome] of [
    ['ctoken_ok', 'fulfilled'],
    ['ctoken_insufficient_funds', 'rejected'],
  ] as const) {
    const request = { client_secret: await open(orders, shop), customer_email: 'ada@example.com', confirmation_token_id: token }
    const confirmOnce = () => call(orders.connection, { operation: confirmCheckout, request, caller: anonymous, idempotencyKey: token })
    const [first] = await Promise.allSettled([confirmOnce()])
    const [second] = await Promise.allSettled([confirmOnce()])
    expect(first.status).toBe(outcome)
    expect(second).toEqual(first)
  }
  expect(await orders.rows('select from payments')).toHaveLength(2)
})

test('a provider without an answer to the check of a token delays no confirmation [payments 16]', async () => {
  await using orders = await startOrders()
  const shop = await orders.shop()
  using processor = useTestProcessor()
  processor.instead.check = hang
  await confirm(orders, await open(orders, shop))
  expect(await orders.nextEvent(orderPaid)).toMatchObject({ status: 'paid' })
})

test('a decline is the reply to the buyer, and the checkout is open again', async () => {
  await using orders = await startOrders()
  const shop = await orders.shop()
  const client_secret = await open(orders, shop)
  const messages = { ctoken_insufficient_funds: 'not enough funds', ctoken_expired: 'has expired', ctoken_lost: 'was declined' }
  for (const [token, message] of Object.entries(messages)) {
    await expect(confirm(orders, client_secret, token)).rejects.toThrow(PaymentError)
    await expect(confirm(orders, client_secret, token)).rejects.toThrow(message)
    expect(await orders.call(getCheckoutByClient, { client_secret }, anonymous)).toMatchObject({ status: 'open' })
  }
  await confirm(orders, client_secret)
  await expectMoneyToAddUp(orders)
})

test('a checkout ends as failed after ten declines: later confirmations are 410 [payments 55] [pages 39]', async () => {
  await using orders = await startOrders()
  const shop = await orders.shop()
  const client_secret = await open(orders, shop)
  for (let count = 0; count < 10; count++) {
    expect(await orders.call(getCheckoutByClient, { client_secret }, anonymous)).toMatchObject({ status: 'open' })
    await expect(confirm(orders, client_secret, 'ctoken_insufficient_funds')).rejects.toThrow('not enough funds')
  }
  await expect(confirm(orders, client_secret)).rejects.toThrow(ExpiredCheckoutError)
  expect(await orders.call(getCheckoutByClient, { client_secret }, anonymous)).toMatchObject({ status: 'failed' })
  expect(await orders.rows('select count(*)::int as count from payments')).toEqual([{ count: 10 }])
})

test('a payment that was not submitted within ten minutes is canceled and never charged [payments 17]', async () => {
  await using orders = await startOrders()
  const shop = await orders.shop()
  using processor = useTestProcessor()
  processor.instead.submit = async () => ({ unknown: 'busy', sent: false, retryAfterMs: 60_000 })
  const client_secret = await open(orders, shop)
  expect(await confirm(orders, client_secret)).toMatchObject({ payment_processor_metadata: { intent_status: 'processing' } })
  delete processor.instead.submit
  await passMinutes(orders, 10)
  await waitForState(orders, 'failed')
  expect(await orders.call(getCheckoutByClient, { client_secret }, anonymous)).toMatchObject({ status: 'open' })
  expect(await orders.rows('select failure_reason from payments')).toEqual([{ failure_reason: 'abandoned' }])
  expect(processor.calls.submit).toHaveLength(1)
  expect(await orders.rows('select status from sandbox_objects')).toEqual([{ status: 'canceled' }])
})

test('two replicas and the request make each call once [payments 18]', async () => {
  await using orders = await startOrders()
  const shop = await orders.shop()
  using processor = useTestProcessor()
  const second = await startService(service, { config: orders.config })
  try {
    await Promise.all(
      Array.from({ length: 8 }, async (_, index) => {
        const request = {
          client_secret: await open(orders, shop),
          customer_email: `${index}@example.com`,
          confirmation_token_id: 'ctoken_slow',
        }
        await orders.call(confirmCheckout, request, anonymous)
      }),
    )
    await eventually(async () => expect(await orders.rows(`select from payments where state = 'succeeded'`)).toHaveLength(8))
  } finally {
    await second.stop()
  }
  for (const made of [processor.calls.prepare, processor.calls.submit]) {
    expect(made).toHaveLength(8)
    expect(new Set(made).size).toBe(8)
  }
  await expectMoneyToAddUp(orders)
})

test('a payment that succeeds after its order was paid otherwise is returned once, unlisted [payments 24]', async () => {
  await using orders = await startOrders()
  const shop = await orders.shop()
  const client_secret = await open(orders, shop)
  await expect(confirm(orders, client_secret, 'ctoken_late_success')).rejects.toThrow(PaymentError)
  await confirm(orders, client_secret)
  const order = await orders.nextEvent(orderPaid)
  await passMinutes(orders, 0, `state = 'failed'`)
  await eventually(async () =>
    expect(await orders.rows(`select purpose, state, amount::int from refunds`)).toEqual([
      { purpose: 'surplus', state: 'succeeded', amount: 4200 },
    ]),
  )
  expect((await orders.call(listRefunds, {}, shop.seller)).pagination.total_count).toBe(0)
  expect((await orders.call(listRefunds, {}, shop.seller)).items).toEqual([])
  expect(await orders.call(getOrder, { id: order.id }, shop.seller)).toMatchObject({ status: 'paid', refunded_amount: 0 })
  await expectMoneyToAddUp(orders)
})

test('a payment that succeeds after its subscription was revoked is returned and gives no access [payments 25]', async () => {
  await using orders = await startOrders()
  const subscribed = await buyPlan(orders, await orders.shop(), { token: 'ctoken_pending' })
  await orders.call(revokeSubscription, { id: subscribed.subscription.id }, subscribed.seller)
  await orders.rows(`update sandbox_objects set status = 'succeeded' returning 1`)
  await passMinutes(orders, 0)
  await waitForState(orders, 'succeeded')
  await eventually(async () =>
    expect(await orders.rows(`select purpose, state from refunds`)).toEqual([{ purpose: 'surplus', state: 'succeeded' }]),
  )
  expect(await orders.rows('select status from orders')).toEqual([{ status: 'pending' }])
  expect(await orders.rows('select status from subscriptions')).toEqual([{ status: 'canceled' }])
  expect(await orders.rows('select from benefit_grants where revoked_at is null')).toEqual([])
  await expectMoneyToAddUp(orders)
})

test('a payment that succeeds after its checkout was opened again pays the order [payments 26]', async () => {
  await using orders = await startOrders()
  const shop = await orders.shop()
  const client_secret = await open(orders, shop)
  await expect(confirm(orders, client_secret, 'ctoken_late_success')).rejects.toThrow(PaymentError)
  await passMinutes(orders, 0, `state = 'failed'`)
  expect(await orders.nextEvent(orderPaid)).toMatchObject({ status: 'paid', total_amount: 4200 })
  expect(await orders.call(getCheckoutByClient, { client_secret }, anonymous)).toMatchObject({ status: 'succeeded' })
  expect(await orders.rows('select from refunds')).toEqual([])
  await expectMoneyToAddUp(orders)
})

test('while a declined payment can still be paid at the provider, no other starts [payments 23]', async () => {
  await using orders = await startOrders()
  const shop = await orders.shop()
  using processor = useTestProcessor()
  processor.instead.cancel = async () => lost
  const client_secret = await open(orders, shop)
  expect(await confirm(orders, client_secret, 'ctoken_insufficient_funds')).toMatchObject({ status: 'confirmed' })
  await expect(confirm(orders, client_secret)).rejects.toThrow('not open')
  expect(await orders.rows('select state, status from payments')).toEqual([{ state: 'closing', status: 'failed' }])
  delete processor.instead.cancel
  await passMinutes(orders, 0)
  await waitForState(orders, 'failed')
  expect(await confirm(orders, client_secret)).toMatchObject({ status: 'confirmed' })
  expect(await orders.nextEvent(orderPaid)).toMatchObject({ status: 'paid' })
})

test('a lost answer is found by a read, a lost request is sent again under the same key: one charge [payments 27, payments 28]', async () => {
  await using orders = await startOrders()
  const shop = await orders.shop()
  for (const [token, submissions] of [
    ['ctoken_lost_answer', 1],
    ['ctoken_lost_request', 2],
  ] as const) {
    using processor = useTestProcessor()
    const client_secret = await open(orders, shop)
    const request = { client_secret, customer_email: `${token}@example.com`, confirmation_token_id: token }
    void orders.call(confirmCheckout, request, anonymous).catch(() => {})
    await eventually(() => expect(processor.calls.read.length).toBeGreaterThan(0))
    if (submissions === 2) {
      expect(processor.calls.submit).toHaveLength(1)
      await passMinutes(orders, 2)
    }
    expect(await orders.nextEvent(orderPaid)).toMatchObject({ status: 'paid' })
    expect(processor.calls.submit).toHaveLength(submissions)
    expect(new Set(processor.sent.filter(({ key }) => key.includes(':submit:')).map(({ key }) => key)).size).toBe(1)
  }
  await expectMoneyToAddUp(orders)
})

test('a kept error is not taken for the result; after an untouched read the next number is used [payments 29]', async () => {
  await using orders = await startOrders()
  const shop = await orders.shop()
  using processor = useTestProcessor()
  processor.instead.submit = async () =>
    processor.sent.at(-1)?.key.endsWith(':1') ? { unknown: 'server_error', sent: true, retryAfterMs: null } : undefined
  void confirm(orders, await open(orders, shop)).catch(() => {})
  await eventually(() => expect(processor.calls.read.length).toBeGreaterThan(0))
  for (const times of [2, 3]) {
    await passMinutes(orders, 2)
    await eventually(async () => {
      await orders.rows('update payments set next_check_at = now() where is_open and leased_until is null returning 1')
      expect(processor.calls.submit).toHaveLength(times)
    })
  }
  expect(await orders.nextEvent(orderPaid)).toMatchObject({ status: 'paid' })
  const numbers = processor.sent.filter(({ key }) => key.includes(':submit:')).map(({ key }) => key.split(':').at(-1))
  expect(numbers).toEqual(['1', '1', '2'])
})

test('after a day without an answer a payment is quarantined, not submitted again, and read daily [payments 31]', async () => {
  await using orders = await startOrders()
  const subscribed = await subscribe(orders)
  using processor = useTestProcessor()
  processor.instead.submit = async () => lost
  processor.instead.read = async () => lost
  await advance(orders, subscribed, after(subscribed.subscription.current_period_end))
  await eventually(() => expect(processor.calls.read.length).toBeGreaterThan(0))
  await passMinutes(orders, 24 * 60)
  const [row] = await eventually(async () => {
    const rows = await orders.rows<{ wait: number }>(`select extract(epoch from next_check_at - now())::int as wait from payments
      where quarantine_reason = 'unanswered' and leased_until is null`)
    expect(rows).toHaveLength(1)
    return rows
  })
  expect(row?.wait).toBeGreaterThan(20 * 3_600)
  expect(processor.calls.submit).toHaveLength(1)
  await waitForSubscription(orders, subscribed, { status: 'active' })
})

test('an object that differs from its row is quarantined with both values, and settles nothing [payments 32]', async () => {
  await using orders = await startOrders()
  const shop = await orders.shop()
  const reasons = { ctoken_wrong_amount: 'received is 4201 usd, not 4200 usd', ctoken_wrong_mode: 'mode is live, not test' }
  for (const [token, reason] of Object.entries(reasons)) {
    const { client_secret, id } = await orders.call(createCheckout, { products: [shop.product.id] }, shop.seller)
    const request = { client_secret, customer_email: `${token}@example.com`, confirmation_token_id: token }
    expect(await orders.call(confirmCheckout, request, anonymous)).toMatchObject({ status: 'confirmed' })
    const [row] = await orders.rows('select quarantine_reason, state from payments where checkout_id = $1', [id])
    expect(row).toEqual({ quarantine_reason: reason, state: 'submitted' })
  }
  await passMinutes(orders, 60)
  await eventually(async () => expect(await orders.rows('select from payments where next_check_at > now()')).toHaveLength(2))
  expect(await orders.rows(`select from orders where status <> 'pending'`)).toEqual([])
  expect(await orders.rows('select from ledger_entries')).toEqual([])
})

test('a fault of the configuration is no decline: the buyer can try again, a subscription is unchanged [payments 33]', async () => {
  await using orders = await startOrders()
  const subscribed = await subscribe(orders)
  const client_secret = await open(orders, subscribed)
  await expect(confirm(orders, client_secret, 'ctoken_misconfigured')).rejects.toThrow('This seller cannot take payments right now.')
  expect(await orders.call(getCheckoutByClient, { client_secret }, anonymous)).toMatchObject({ status: 'open' })
  await replaceMethods(orders, 'ctoken_misconfigured')
  await advance(orders, subscribed, after(subscribed.subscription.current_period_end))
  await eventually(async () =>
    expect(await orders.rows(`select decline_code from payments where initiator = 'schedule' and checks > 0 and is_open`)).toEqual([
      { decline_code: null },
    ]),
  )
  await waitForSubscription(orders, subscribed, { status: 'active' })
  await eventually(async () => {
    const { items } = await orders.call(listPayments, { status: 'pending' }, subscribed.seller)
    expect(items).toMatchObject([{ trigger: 'subscription_cycle', pending_reason: 'account_misconfigured' }])
  })
  await replaceMethods(orders, 'ctoken_ok')
})

test('a hard decline is not tried again with its method; a soft one is [payments 68, payments 69]', async () => {
  await using orders = await startOrders()
  const failures = (count: number) =>
    eventually(async () => expect(await orders.rows(`select from payments where state = 'failed'`)).toHaveLength(count))
  const subscribed = await subscribe(orders)
  await replaceMethods(orders, 'ctoken_expired')
  await advance(orders, subscribed, after(subscribed.subscription.current_period_end))
  const late = await waitForSubscription(orders, subscribed, { status: 'past_due' })
  await failures(1)
  for (const [day, failed] of [
    [2, 2],
    [6, 3],
  ] as const) {
    await advance(orders, subscribed, after(late.current_period_start, day))
    await eventually(async () =>
      expect(await orders.rows('select failed_charges from subscriptions')).toEqual([{ failed_charges: failed }]),
    )
  }
  await failures(1)
  await orders.rows(`update payments set decline_kind = 'soft' where state = 'failed' returning 1`)
  await replaceMethods(orders, 'ctoken_ok')
  await advance(orders, subscribed, after(late.current_period_start, 12))
  await waitForSubscription(orders, subscribed, { status: 'active' })
  await expectMoneyToAddUp(orders)
})

test('the operator sees stuck payments and one with its ledger, and rechecks a settled one', async () => {
  await using orders = await startOrders()
  const shop = await orders.shop()
  await confirm(orders, await open(orders, shop), 'ctoken_wrong_amount')
  const { payments, total_count } = await orders.call(listStuckPayments, {}, operator)
  expect(payments).toMatchObject([{ state: 'submitted', quarantine_reason: 'received is 4201 usd, not 4200 usd', amount: 4200 }])
  expect(total_count).toBe(1)
  await expect(confirm(orders, await open(orders, shop), 'ctoken_late_success')).rejects.toThrow(PaymentError)
  const [late] = await orders.rows<{ id: string }>(`select id from payments where state = 'failed'`)
  const id = late?.id ?? ''
  expect(await orders.call(showPayment, { id }, operator)).toMatchObject({
    payment: { failure_reason: 'declined' },
    refunds: [],
    ledger: [],
  })
  expect(await orders.call(recheckPayment, { id }, operator)).toEqual({ id })
  await orders.nextEvent(orderPaid)
  expect(await orders.call(showPayment, { id }, operator)).toMatchObject({ ledger: [{ reason: 'captured', amount: 4200 }] })
  for (const operation of [showPayment, recheckPayment])
    await expect(orders.call(operation, { id: randomUUID() }, operator)).rejects.toThrow(ResourceNotFound)
})
