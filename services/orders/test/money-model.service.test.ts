import { randomUUID } from 'node:crypto'
import { getOrder, orderPaid } from '@quittance/contracts/orders'
import { createRefund, refundCreated, refundUpdated } from '@quittance/contracts/refunds'
import { expect, test } from 'vitest'
import { asThisRelease, expectMoneyToAddUp } from './money.ts'
import { startOrders, type OrdersUnderTest } from './start-orders.ts'
import { subscribe } from './subscribe.ts'

const reason = 'customer_request' as const

/** Copies the only payment, with other values. */
function copyPayment(orders: OrdersUnderTest, values: Record<string, string>): Promise<void> {
  const { of: source = 'true', ...changed } = values
  const given: Record<string, string> = {
    id: 'gen_random_uuid()',
    state: `'submitted'`,
    status: `'pending'`,
    next_check_at: 'now()',
    settled_at: 'null',
    applied_at: 'null',
    surplus_at: 'null',
    captured_amount: 'null',
    provider_payment: 'null',
    ...changed,
  }
  const copied = ['created_at', 'organization_id', 'order_id', 'amount', 'currency', 'request'].filter((column) => !(column in given))
  return asThisRelease(
    orders,
    `insert into payments (${[...copied, ...Object.keys(given)].join(', ')})
      select ${[...copied, ...Object.values(given)].join(', ')} from payments where ${source} limit 1`,
  )
}

test('a second open payment of an order, or a second applied one, cannot be written [payments 2]', async () => {
  await using orders = await startOrders()
  await orders.pendingOrder()
  await expect(copyPayment(orders, {})).rejects.toThrow('payments_one_open_per_order')
  await orders.rows(`update payments set status = 'succeeded'`)
  await expect(
    copyPayment(orders, {
      state: `'succeeded'`,
      status: `'succeeded'`,
      settled_at: 'now()',
      next_check_at: 'null',
      applied_at: 'now()',
      captured_amount: 'amount',
    }),
  ).rejects.toThrow('payments_one_applied_per_order')
  const surplus = { settled_at: 'now()', next_check_at: 'null', surplus_at: 'now()', captured_amount: 'amount' }
  await copyPayment(orders, { state: `'succeeded'`, status: `'succeeded'`, ...surplus })
})

test('a payment without settlement, quarantine and next check cannot be written [payments 3]', async () => {
  await using orders = await startOrders()
  await orders.pendingOrder()
  for (const state of ['created', 'submitted', 'processing', 'closing']) {
    const status = state === 'closing' ? 'failed' : 'pending'
    const reason = state === 'closing' ? `'canceled'` : 'null'
    const forget = `update payments set state = '${state}', status = '${status}', failure_reason = ${reason}, next_check_at = null`
    await expect(asThisRelease(orders, forget)).rejects.toThrow('payments_not_forgotten')
  }
  await asThisRelease(orders, `update payments set next_check_at = null, quarantined_at = now(), quarantine_reason = 'test'`)
})

test('a refund of more than was captured, or in another currency, cannot be written [payments 4]', async () => {
  await using orders = await startOrders()
  const { order } = await orders.paidOrder({ billed: false })
  const refund = (amount: number, currency: string, state: string) =>
    asThisRelease(
      orders,
      `insert into refunds (id, created_at, organization_id, order_id, payment_id, status, state, reason, amount, tax_amount, currency, next_check_at)
        select '${randomUUID()}', now(), organization_id, order_id, id, '${state === 'created' ? 'pending' : state}', '${state}', 'other', ${amount}, 0,
          '${currency}', now() from payments where order_id = '${order.id}'`,
    )
  await refund(4000, 'usd', 'created')
  for (const state of ['created', 'succeeded']) {
    await expect(refund(201, 'usd', state)).rejects.toThrow('payments_refunds_within_captured')
    await expect(refund(100, 'eur', state)).rejects.toThrow('refunds_payment')
  }
})

test('the total of an order cannot change while a payment is open or applied, but after a declined one [payments 5]', async () => {
  await using orders = await startOrders()
  await orders.pendingOrder()
  const change = `update orders set subtotal_amount = 100, net_amount = 100, total_amount = 100`
  const lines = `update order_items set amount = 100`
  for (const settled of ['pending', 'succeeded']) {
    await orders.rows(`update payments set status = '${settled}'`)
    await expect(asThisRelease(orders, `${change}; ${lines}`)).rejects.toThrow('has a payment, so its amount cannot change')
    await expect(orders.rows(`update payments set amount = 100`)).rejects.toThrow(/is not of what order|payments_applied_in_full/)
  }
  const declined = { state: `'failed'`, status: `'failed'`, settled_at: 'now()', failure_reason: `'declined'`, next_check_at: 'null' }
  const other = await orders.pendingOrder()
  await orders.rows(`update payments set status = 'failed' where order_id = '${other.order.id}'`)
  const line = `update order_items set amount = 100 where order_id = '${other.order.id}'`
  await asThisRelease(orders, `${change} where id = '${other.order.id}'; ${line}`)
  await copyPayment(orders, { ...declined, of: `order_id = '${other.order.id}'` })
  await expect(copyPayment(orders, { of: `order_id = '${other.order.id}'` })).rejects.toThrow('is not of what order')
})

test('rows of the release before are completed and booked; those of real accounts it cannot change [payments 6, 7]', async () => {
  await using orders = await startOrders()
  const { order, seller, organizationId } = await orders.paidOrder({ billed: false })
  await orders.call(createRefund, { order_id: order.id, reason, amount: 1200 }, seller)
  await expectMoneyToAddUp(orders)
  expect(await orders.rows('select state, captured_amount::int, refunded_amount::int from payments')).toEqual([
    { state: 'succeeded', captured_amount: 4200, refunded_amount: 1200 },
  ])
  expect(await orders.rows('select reason, amount::int from ledger_entries order by created_at, reason')).toEqual([
    { reason: 'captured', amount: 4200 },
    { reason: 'refund_reserved', amount: 1200 },
    { reason: 'refunded', amount: 1200 },
  ])
  await expect(orders.rows('update ledger_entries set amount = 1')).rejects.toThrow('only inserted')
  const account = randomUUID()
  await orders.rows(`insert into payment_accounts (id, created_at, organization_id, provider, mode)
    values ('${account}', now(), '${organizationId}', 'stripe', 'test')`)
  await asThisRelease(orders, `update payments set provider = 'stripe', payment_account_id = '${account}'`)
  for (const change of ['update payments set leased_until = now()', 'update refunds set leased_until = now()'])
    await expect(orders.rows(change)).rejects.toMatchObject({ code: '40001' })
})

test('a payment and a refund that the release before began are settled once [payments 8]', async () => {
  await using orders = await startOrders()
  const { order, seller } = await orders.pendingOrder()
  await orders.rows(`update payments set status = 'failed' returning 1`)
  await orders.rows(`insert into payments (id, created_at, organization_id, order_id, amount, currency, confirmation_token, status, due_at)
    select gen_random_uuid(), now(), organization_id, id, total_amount, currency, 'ctoken_ok', 'pending', now() from orders returning 1`)
  expect(await orders.nextEvent(orderPaid)).toMatchObject({ id: order.id })
  expect(await orders.rows(`select state, due_at, initiator from payments where status = 'succeeded'`)).toEqual([
    { state: 'succeeded', due_at: null, initiator: 'schedule' },
  ])
  await orders.rows(`update orders set refunding_amount = 100`)
  await orders.rows(`insert into refunds (id, created_at, organization_id, order_id, status, reason, amount, tax_amount, currency, next_check_at)
    select gen_random_uuid(), now(), organization_id, id, 'pending', 'other', 100, 0, currency, now() from orders returning 1`)
  expect(await orders.nextEvent(refundCreated)).toMatchObject({ status: 'succeeded', amount: 100 })
  expect(await orders.call(getOrder, { id: order.id }, seller)).toMatchObject({ refunded_amount: 100 })
  await expectMoneyToAddUp(orders)
})

test('a subscription with a method of a real account cannot be changed by the release before [payments 7]', async () => {
  await using orders = await startOrders()
  const { organizationId, subscription } = await subscribe(orders)
  const [account, payer, method] = [randomUUID(), randomUUID(), randomUUID()]
  const own = `now(), '${organizationId}'`
  await orders.rows(
    `insert into payment_accounts (id, created_at, organization_id, provider, mode) values ('${account}', ${own}, 'stripe', 'test')`,
  )
  await orders.rows(`insert into payers (id, created_at, organization_id, customer_id, payment_account_id)
    values ('${payer}', ${own}, '${subscription.customer_id}', '${account}')`)
  await orders.rows(`insert into payment_methods (id, created_at, organization_id, customer_id, payment_account_id, payer_id, provider_method, type)
    values ('${method}', ${own}, '${subscription.customer_id}', '${account}', '${payer}', 'pm_1', 'card')`)
  await asThisRelease(orders, `update subscriptions set payment_method_id = '${method}'`)
  await expect(orders.rows('update subscriptions set leased_until = now()')).rejects.toMatchObject({ code: '40001' })
  await asThisRelease(orders, 'update subscriptions set leased_until = null')
})

test('a refund that the bank returns is booked back', async () => {
  await using orders = await startOrders()
  const { order, seller } = await orders.paidOrder({ billed: false })
  await orders.rows(`update sandbox_objects set token = 'ctoken_refund_bounces' returning 1`)
  await orders.call(createRefund, { order_id: order.id, reason, amount: 4200 }, seller)
  expect(await orders.nextEvent(refundUpdated)).toMatchObject({ status: 'failed' })
  await expectMoneyToAddUp(orders)
  expect(await orders.rows('select captured_amount::int, refunding_amount::int, refunded_amount::int from payments')).toEqual([
    { captured_amount: 4200, refunding_amount: 0, refunded_amount: 0 },
  ])
})
