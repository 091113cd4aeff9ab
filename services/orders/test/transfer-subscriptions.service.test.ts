import { confirmOrderPayment } from '@quittance/contracts/customer-payments'
import { Conflict } from '@quittance/contracts/errors'
import { retryOrderPayment } from '@quittance/contracts/order-payments'
import { createProduct } from '@quittance/contracts/products'
import { getSubscription, updateSubscription } from '@quittance/contracts/subscriptions'
import { orderVoided, voidOrder } from '@quittance/contracts/unpaid-invoices'
import { customerCaller } from '@quittance/testing/callers'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { readEvents } from './read-events.ts'
import { asThisRelease } from './money.ts'
import { advance, after, expectCurrentPeriod } from './subscribe.ts'
import { buyByTransfer, invoiceUnpaid, receiveMoney, startTransferShop, waitForOrderStatus, waitForPaymentState } from './transfer-shop.ts'

const prices = [{ amount_type: 'fixed' as const, price_amount: 1_000, price_currency: 'eur' as const }]

interface RenewalRow {
  id: string
  payment_id: string
  customer_id: string
}

const unpaidRenewals = `
  select o.id, p.id as payment_id, o.customer_id from orders o join payments p on p.order_id = o.id
  where o.billing_reason = 'subscription_cycle' and o.status = 'pending' and p.state = 'requires_action'`

test('a voided renewal is not owed: the subscription continues, and nothing asks for its money again', async () => {
  await using shop = await startTransferShop('test')
  const { orders } = shop
  const { seller, organizationId } = shop.shop
  const plan = await orders.call(createProduct, { name: 'Plan', recurring_interval: 'month', prices }, seller)
  const first = await buyByTransfer(shop, plan)
  await receiveMoney(shop, first.paymentId, 1_000)
  await waitForOrderStatus(shop, first.orderId, 'paid')
  const [{ id: subscriptionId } = { id: '' }] = await orders.rows<{ id: string }>('select id from subscriptions')
  const read = () => orders.call(getSubscription, { id: subscriptionId }, seller)
  const renew = async (): Promise<RenewalRow> => {
    await advance(orders, { seller }, after((await read()).current_period_end))
    return eventually(async () => {
      const rows = await orders.rows<RenewalRow>(unpaidRenewals)
      expect(rows).toHaveLength(1)
      return rows[0] as RenewalRow
    })
  }
  const renewal = await renew()
  await invoiceUnpaid(shop, renewal.id)
  await orders.call(voidOrder, { id: renewal.id }, seller)
  await waitForPaymentState(shop, renewal.payment_id, 'failed')
  const { status, current_period_end } = await read()
  expect(status).toBe('active')
  const buyer = customerCaller({ organizationId, customerId: renewal.customer_id })
  await expect(orders.call(retryOrderPayment, { id: renewal.id }, seller)).rejects.toThrow('The order is voided.')
  await expect(orders.call(confirmOrderPayment, { id: renewal.id }, buyer)).rejects.toThrow(Conflict)
  const next = await renew()
  expect(next.id).not.toBe(renewal.id)
  expect(await orders.rows('select count(*)::int as payments from payments where order_id = $1', [renewal.id])).toEqual([{ payments: 1 }])
  await receiveMoney(shop, next.payment_id, 1_000)
  await waitForOrderStatus(shop, next.id, 'paid')
  expect(await read()).toMatchObject({ status: 'active', current_period_start: current_period_end })
})

test.each([5, 45])('the first transfer pays for the period that it begins, %i days after the order', async (days) => {
  await using shop = await startTransferShop('test')
  const { orders } = shop
  const { seller } = shop.shop
  const plan = await orders.call(createProduct, { name: 'Plan', recurring_interval: 'month', prices }, seller)
  const { orderId, paymentId } = await buyByTransfer(shop, plan)
  await advance(orders, { seller }, new Date(Date.now() + days * 86_400_000).toISOString())
  await receiveMoney(shop, paymentId, 1_000)
  await waitForOrderStatus(shop, orderId, 'paid')
  const [{ id } = { id: '' }] = await orders.rows<{ id: string }>('select id from subscriptions')
  const subscription = await orders.call(getSubscription, { id }, seller)
  expect(Date.parse(subscription.current_period_start)).toBeGreaterThan(Date.now() + (days - 1) * 86_400_000)
  await expectCurrentPeriod(orders, orderId, subscription)
})

/** Changes a paid subscription to a plan for 3,000, which its buyer is asked to send. */
async function changeByTransfer(shop: Awaited<ReturnType<typeof startTransferShop>>) {
  const { orders } = shop
  const { seller } = shop.shop
  const plan = await orders.call(createProduct, { name: 'Plan', recurring_interval: 'month', prices }, seller)
  const larger = [{ ...prices[0], amount_type: 'fixed' as const, price_amount: 3_000 }]
  const { id: product_id } = await orders.call(createProduct, { name: 'Larger', recurring_interval: 'month', prices: larger }, seller)
  const first = await buyByTransfer(shop, plan)
  await receiveMoney(shop, first.paymentId, 1_000)
  await waitForOrderStatus(shop, first.orderId, 'paid')
  const [{ id } = { id: '' }] = await orders.rows<{ id: string }>('select id from subscriptions')
  // A buyer who only sends money cannot change the product. One from release 0.1.0 has a token besides.
  await orders.rows(`update subscriptions set payment_token = 'ctoken_ok' returning 1`)
  await orders.call(updateSubscription, { id, product_id, proration_behavior: 'invoice' }, seller)
  const [order] = await eventually(async () => {
    const rows = await orders.rows<{ id: string; payment_id: string }>(
      `select o.id, p.id as payment_id from orders o join payments p on p.order_id = o.id where p.state = 'requires_action'`,
    )
    expect(rows).toHaveLength(1)
    return rows
  })
  const expectUndone = () =>
    eventually(async () => {
      expect(await orders.call(getSubscription, { id }, seller)).toMatchObject({ status: 'active', product_id: plan.id, amount: 1_000 })
      expect(await orders.rows('select from orders where voided_at is not null')).toHaveLength(1)
      expect(await orders.rows('select from unpaid_changes')).toEqual([])
      expect(await orders.rows('select credited_amount::int from orders where id = $1', [first.orderId])).toEqual([{ credited_amount: 0 }])
      expect(await orders.rows('select from prorations')).toEqual([])
    })
  return { orderId: order?.id ?? '', paymentId: order?.payment_id ?? '', expectUndone }
}

test('a change whose transfer does not arrive in time is undone, and its invoice gets a credit note', async () => {
  await using shop = await startTransferShop('test')
  const { orders } = shop
  const { orderId, paymentId, expectUndone } = await changeByTransfer(shop)
  await invoiceUnpaid(shop, orderId)
  await asThisRelease(orders, `update payments set action_until = now(), next_check_at = now() where id = '${paymentId}'`)
  await waitForPaymentState(shop, paymentId, 'failed')
  await expectUndone()
  expect(await readEvents(orders, orderVoided.subject)).toMatchObject([{ payload: { order_id: orderId } }])
  await receiveMoney(shop, paymentId, 2_000)
  await eventually(async () => expect(await orders.rows(`select from refunds where purpose = 'surplus'`)).toHaveLength(1))
})

test('a change whose order the seller voids is undone', async () => {
  await using shop = await startTransferShop('test')
  const { orders } = shop
  const { orderId, paymentId, expectUndone } = await changeByTransfer(shop)
  await invoiceUnpaid(shop, orderId)
  await orders.call(voidOrder, { id: orderId }, shop.shop.seller)
  await expectUndone()
  await waitForPaymentState(shop, paymentId, 'failed')
  await expectUndone()
  expect(await readEvents(orders, orderVoided.subject)).toHaveLength(1)
})
