import { confirmOrderPayment } from '@quittance/contracts/customer-payments'
import { Conflict } from '@quittance/contracts/errors'
import { retryOrderPayment } from '@quittance/contracts/order-payments'
import { createProduct } from '@quittance/contracts/products'
import { getSubscription } from '@quittance/contracts/subscriptions'
import { voidOrder } from '@quittance/contracts/unpaid-invoices'
import { customerCaller } from '@quittance/testing/callers'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
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
