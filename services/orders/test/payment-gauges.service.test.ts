import { createCheckout, confirmCheckout } from '@quittance/contracts/checkouts'
import { addReceipt } from '@quittance/contracts/bank-receipts'
import { metrics } from '@quittance/runtime/metrics'
import { expect, test } from 'vitest'
import { startOrders, type OrdersUnderTest } from './start-orders.ts'
import { sharedFake } from './stripe-shop.ts'
import { buyByTransfer, createPaidTransfer } from './transfer-shop.ts'

/** Values of a metric by its labels, as a scrape shows them. */
async function scrape(name: string): Promise<{ value: number; labels: Record<string, unknown> }[]> {
  const found = await metrics.getSingleMetric(name)?.get()
  return (found?.values ?? []) as { value: number; labels: Record<string, unknown> }[]
}

async function read(name: string, labels: Record<string, string> = {}): Promise<number> {
  const found = (await scrape(name)).filter((each) => Object.entries(labels).every(([key, value]) => each.labels[key] === value))
  return found.reduce((sum, { value }) => sum + value, 0)
}

async function buy(orders: OrdersUnderTest, token: string): Promise<void> {
  const { product, seller } = await orders.shop()
  const { client_secret } = await orders.call(createCheckout, { products: [product.id] }, seller)
  const confirmation = { client_secret, confirmation_token_id: token, customer_email: 'ada@example.com' }
  await orders.call(confirmCheckout, confirmation, { kind: 'anonymous' })
}

test('gauges show open payments by state, the oldest that waits for its provider, and those in quarantine', async () => {
  await sharedFake()
  await using orders = await startOrders()
  expect(await read('payments_quarantined')).toBe(0)
  const submitted = await read('payment_calls_total', { kind: 'charge', step: 'submit', outcome: 'succeeded' })
  for (const token of ['ctoken_ok', 'ctoken_pending', 'ctoken_action', 'ctoken_wrong_amount']) await buy(orders, token)
  expect(await read('payments_open', { state: 'processing' })).toBe(1)
  expect(await read('payments_open', { state: 'requires_action' })).toBe(1)
  expect(await read('payments_quarantined', { kind: 'payment' })).toBe(1)
  expect(await read('payments_oldest_unsettled_seconds')).toBe(0)
  // The call of the wrong amount succeeded too; its answer was not accepted.
  expect(await read('payment_calls_total', { kind: 'charge', step: 'submit', outcome: 'succeeded' })).toBe(submitted + 2)
  await orders.rows(`update payments set state = 'submitted', created_at = now() - interval '1 hour', next_check_at = now() + interval '1 hour'
    where state = 'processing' returning 1`)
  expect(await read('payments_oldest_unsettled_seconds')).toBeGreaterThanOrEqual(3600)
})

test('gauges show receipts with money that no payment takes, and accounts that are rejected', async () => {
  await sharedFake()
  await using orders = await startOrders()
  const shop = await orders.shop()
  const { accountId, paymentId } = await createPaidTransfer(orders, shop)
  expect([await read('bank_receipts_unmatched'), await read('payment_accounts_unhealthy')]).toEqual([0, 0])
  const receipt = { id: paymentId, amount: 5, booked_on: '2026-11-24', bank_reference: 'A second one' }
  await orders.call(addReceipt, receipt, shop.seller)
  expect(await read('bank_receipts_unmatched')).toBe(1)
  const { paymentId: open } = await buyByTransfer({ orders, shop })
  await orders.call(addReceipt, { ...receipt, id: open, bank_reference: 'A part' }, shop.seller)
  expect(await read('bank_receipts_unmatched')).toBe(1)
  await orders.rows(`insert into bank_receipts (id, created_at, organization_id, payment_account_id, amount, currency, booked_on, bank_reference, source)
    select gen_random_uuid(), now(), organization_id, payment_account_id, 7, currency, booked_on, 'A third one', source from bank_receipts limit 1`)
  await orders.rows(`update payment_accounts set health = '{"is_healthy": false}' where id = $1 returning 1`, [accountId])
  expect([await read('bank_receipts_unmatched'), await read('payment_accounts_unhealthy')]).toEqual([2, 1])
})
