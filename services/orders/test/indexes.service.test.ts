/** Statements on tables that grow for ever use an index. They are recorded while the service runs them. */
import { addReceipt, listBankReceipts } from '@quittance/contracts/bank-receipts'
import { confirmCheckout, createCheckout, getCheckoutByClient } from '@quittance/contracts/checkouts'
import { listPayments } from '@quittance/contracts/payments'
import { listStuckPayments } from '@quittance/contracts/payment-operations'
import { createRefund } from '@quittance/contracts/refunds'
import { customerCaller } from '@quittance/testing/callers'
import { eventually } from '@quittance/testing/eventually'
import { countBlocks, explain, recordStatements } from '@quittance/testing/record-statements'
import { expect, test } from 'vitest'
import { copyRows } from './copy-rows.ts'
import { startOrders, type OrdersUnderTest } from './start-orders.ts'
import { storeBySetup } from './stored-method.ts'
import { startStripeShop } from './stripe-shop.ts'
import { buyByTransfer, startTransferShop } from './transfer-shop.ts'

/** Copies the rows of a table 5,000 times. */
async function multiplyRows(orders: OrdersUnderTest, table: string, changed: string): Promise<void> {
  await copyRows(orders, { table, count: 5000, changed })
  await orders.rows(`analyze ${table}`)
}

test('finds the declines of a checkout, refunds and methods with open payments by an index', async () => {
  using statements = recordStatements()
  await using stripeShop = await startStripeShop()
  const { orders, account, shop } = stripeShop
  const { seller, product, order, organizationId } = await orders.paidOrder({ billed: true })
  await orders.call(createRefund, { order_id: order.id, reason: 'other', amount: 100 }, seller)
  await storeBySetup(orders, customerCaller({ organizationId, customerId: order.customer_id }))
  const { client_secret } = await orders.call(createCheckout, { products: [product.id] }, seller)
  const token = { customer_email: 'ada@example.com', confirmation_token_id: 'ctoken_declined_later' }
  await orders.call(confirmCheckout, { client_secret, ...token }, { kind: 'anonymous' })
  await eventually(async () =>
    expect(await orders.call(getCheckoutByClient, { client_secret }, { kind: 'anonymous' })).toMatchObject({ status: 'open' }),
  )
  await orders.rows(
    `insert into provider_events (organization_id, payment_account_id, provider_event, type, object_kind, object, source, occurred_at, next_try_at)
     values ($1, $2, 'evt_refund', 'refund.updated', 'refund', 're_unknown', 'push', now(), now())`,
    [shop.organizationId, account.id],
  )
  await orders.rows(`select pg_notify('wake', 'read-provider-events')`)
  const found = await eventually(() => ({
    payments: statements.find('count(', 'from "payments"', `"checkout_id" =`, `"failure_reason" =`),
    setups: statements.find('count(', 'from "payment_setups"', `"checkout_id" =`, `"failure_reason" =`),
    refund: statements.find('update refunds', 'r.provider_refund ='),
    methods: statements.find('update payment_methods', 'p.settled_at is null'),
  }))
  const ids = (...names: string[]) => `jsonb_build_object(${names.map((name) => `'${name}', gen_random_uuid()`).join(', ')})`
  await multiplyRows(orders, 'payments', ids('order_id', 'checkout_id', 'provider_payment'))
  await multiplyRows(orders, 'payment_setups', ids('checkout_id', 'provider_setup'))
  await multiplyRows(orders, 'refunds', ids('provider_refund'))
  const indexes = { payments: 'payments_by_checkout', setups: 'payment_setups_by_checkout', refund: 'refunds_at_provider' }
  for (const [name, index] of Object.entries({ ...indexes, methods: 'payments_unsettled_by_method' })) {
    const plan = await explain(orders, found[name as keyof typeof found])
    expect(plan).toContain(index)
    expect(plan).not.toMatch(/Seq Scan on (payments|payment_setups|refunds)/)
  }
})

test('a list of payments reads no orders and customers, and open and failed payments are found by an index', async () => {
  using statements = recordStatements()
  await using orders = await startOrders()
  const { seller, organizationId } = await orders.paidOrder({ billed: false })
  expect((await orders.call(listPayments, { organization_id: organizationId }, seller)).pagination.total_count).toBe(1)
  expect((await orders.call(listPayments, { status: 'pending' }, seller)).items).toEqual([])
  expect((await orders.call(listPayments, { status: 'failed' }, seller)).items).toEqual([])
  await multiplyRows(orders, 'payments', `jsonb_build_object('order_id', gen_random_uuid(), 'provider_payment', n)`)
  expect(await countBlocks(orders, statements.findWithValues('count(*) from payments pa', `in ('closing', 'failed') and`))).toBeLessThan(50)
  const list = await explain(orders, statements.find('list_counts', 'from payments pa'))
  expect(list).not.toMatch(/ on (orders|customers)/)
  expect(await explain(orders, statements.find('count(*) from payments pa', 'pa.is_open and'))).not.toContain('Seq Scan on payments')
})

test('the payments and setups that an operator sees as stuck are found by indexes', async () => {
  using statements = recordStatements()
  await using stripeShop = await startStripeShop()
  const { orders } = stripeShop
  const { order, organizationId } = await orders.paidOrder({ billed: true })
  await storeBySetup(orders, customerCaller({ organizationId, customerId: order.customer_id }))
  expect(await orders.call(listStuckPayments, {}, { kind: 'operator' })).toEqual({ payments: [], total_count: 0 })
  await multiplyRows(orders, 'payments', `jsonb_build_object('order_id', gen_random_uuid(), 'provider_payment', n)`)
  await multiplyRows(orders, 'payment_setups', `jsonb_build_object('provider_setup', n)`)
  for (const words of [
    ['quarantined_at is not null', 'as total'],
    ['quarantined_at is not null', 'limit $1'],
  ]) {
    expect(await explain(orders, statements.find(...words))).not.toMatch(/Seq Scan on (payments|payment_setups)/)
  }
})

test('a list of money that no order needs reads the open refunds, not those of each receipt', async () => {
  using statements = recordStatements()
  await using shop = await startTransferShop()
  const { orders } = shop
  const { seller } = shop.shop
  await orders.call(
    addReceipt,
    { id: (await buyByTransfer(shop)).paymentId, amount: 4_200, booked_on: '2026-11-24', bank_reference: 'a' },
    seller,
  )
  await multiplyRows(orders, 'bank_receipts', `jsonb_build_object('payment_id', gen_random_uuid(), 'bank_reference', gen_random_uuid())`)
  for (const [is_surplus, count] of [
    [true, 0],
    [false, 5_001],
  ] as const) {
    expect((await orders.call(listBankReceipts, { is_surplus }, seller)).pagination.total_count).toBe(count)
    expect(await countBlocks(orders, statements.findWithValues('from bank_receipts b', is_surplus ? 'limit' : 'is not true'))).toBeLessThan(
      2_000,
    )
  }
})

test('a list of money that no order has taken reads no other receipts', async () => {
  using statements = recordStatements()
  await using shop = await startTransferShop()
  const { orders } = shop
  const { seller } = shop.shop
  const receipt = { amount: 100, booked_on: '2026-11-24', bank_reference: 'a' }
  await orders.call(addReceipt, { id: (await buyByTransfer(shop)).paymentId, ...receipt }, seller)
  await multiplyRows(orders, 'bank_receipts', `jsonb_build_object('unapplied_amount', 0, 'bank_reference', gen_random_uuid())`)
  for (const [is_unapplied, count] of [
    [false, 5_000],
    [true, 1],
  ] as const)
    expect((await orders.call(listBankReceipts, { is_unapplied }, seller)).pagination.total_count).toBe(count)
  expect(await countBlocks(orders, statements.findWithValues('from bank_receipts b', 'unapplied_amount > 0', 'limit'))).toBeLessThan(20)
})
