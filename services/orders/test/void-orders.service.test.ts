import { randomUUID } from 'node:crypto'
import { listBankReceipts, markRefundAsPaid } from '@quittance/contracts/bank-receipts'
import { getCheckout } from '@quittance/contracts/checkouts'
import { Conflict, ResourceNotFound } from '@quittance/contracts/errors'
import { orderPaymentFailed } from '@quittance/contracts/order-payments'
import { getOrder, listOrders, orderUpdated } from '@quittance/contracts/orders'
import { createProduct } from '@quittance/contracts/products'
import { orderVoided, voidOrder } from '@quittance/contracts/unpaid-invoices'
import { updateSubscription } from '@quittance/contracts/subscriptions'
import { organizationCaller } from '@quittance/testing/callers'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { asThisRelease } from './money.ts'
import { readEvents } from './read-events.ts'
import { startOrders } from './start-orders.ts'
import { advance, after, createPlan, replaceMethods, subscribe, waitForSubscription } from './subscribe.ts'
import {
  buyByTransfer,
  buyInvoicedByTransfer,
  readBalance,
  receiveMoney,
  startTransferShop,
  waitForOrderStatus,
  waitForPaymentState,
} from './transfer-shop.ts'

test('voiding ends the request for money and the checkout, and is published once', async () => {
  await using shop = await startTransferShop()
  const { orders } = shop
  const { seller, organizationId } = shop.shop
  const { orderId: id, paymentId, checkoutId } = await buyInvoicedByTransfer(shop)
  const voided = await orders.call(voidOrder, { id }, seller)
  expect(voided).toMatchObject({ id, status: 'pending', paid: false, voided_at: expect.any(String), is_invoice_generated: true })
  await waitForPaymentState(shop, paymentId, 'failed')
  await eventually(async () => expect(await orders.call(getCheckout, { id: checkoutId }, seller)).toMatchObject({ status: 'failed' }))
  expect(await orders.call(voidOrder, { id }, seller)).toEqual(voided)
  const [published, ...others] = await readEvents(orders, orderVoided.subject)
  expect(others).toEqual([])
  expect(published).toMatchObject({ aggregate_id: id, payload: { organization_id: organizationId, order_id: id } })
  expect(Date.parse(published?.payload.voided_at)).toBe(Date.parse(voided.voided_at ?? ''))
  const updates = await readEvents(orders, orderUpdated.subject)
  expect(updates.at(-1)).toMatchObject({ aggregate_id: id, payload: { voided_at: voided.voided_at } })
  expect(await readEvents(orders, orderPaymentFailed.subject)).toEqual([])
})

test('money that arrives for a voided order is returned by the seller, and pays nothing', async () => {
  await using shop = await startTransferShop()
  const { orders } = shop
  const { seller } = shop.shop
  const { orderId: id, paymentId } = await buyInvoicedByTransfer(shop)
  await receiveMoney(shop, paymentId, 1_000)
  await orders.call(voidOrder, { id }, seller)
  await waitForPaymentState(shop, paymentId, 'failed')
  await receiveMoney(shop, paymentId, 3_200)
  const surplus = await eventually(async () => {
    const { items } = await orders.call(listBankReceipts, { is_surplus: true }, seller)
    expect(items.map(({ amount }) => amount).toSorted((one, other) => one - other)).toEqual([1_000, 3_200])
    return items[0]?.surplus_refund_id ?? ''
  })
  expect(await orders.call(getOrder, { id }, seller)).toMatchObject({ status: 'pending', paid: false, voided_at: expect.any(String) })
  await eventually(() => orders.call(markRefundAsPaid, { id: surplus }, seller))
  await eventually(async () => expect(await orders.call(listBankReceipts, { is_surplus: true }, seller)).toMatchObject({ items: [] }))
  expect(await readBalance(shop, 'unapplied')).toBe(0)
  const payment = asThisRelease(orders, `update orders set status = 'paid', paid_at = now()`)
  await expect(payment).rejects.toThrow('orders_voided_are_unpaid')
})

test('a paid order, one of a checkout without a generated invoice and one of another seller are not voided', async () => {
  await using shop = await startTransferShop()
  const { orders } = shop
  const { seller } = shop.shop
  const withoutInvoice = await buyByTransfer(shop)
  await expect(orders.call(voidOrder, { id: withoutInvoice.orderId }, seller)).rejects.toThrow(Conflict)
  const { orderId: id, paymentId } = await buyInvoicedByTransfer(shop)
  await expect(orders.call(voidOrder, { id }, organizationCaller(randomUUID()))).rejects.toThrow(ResourceNotFound)
  await receiveMoney(shop, paymentId, 4_200)
  await waitForOrderStatus(shop, id, 'paid')
  await expect(orders.call(voidOrder, { id }, seller)).rejects.toThrow(Conflict)
  expect(await orders.rows('select from orders where voided_at is not null')).toEqual([])
  expect(await readEvents(orders, orderVoided.subject)).toEqual([])
})

test('the money and the end of the claim at the same time: the order is paid, or the money is returned', async () => {
  await using shop = await startTransferShop()
  const { orders } = shop
  const { seller } = shop.shop
  for (let round = 0; round < 5; round += 1) {
    const { orderId: id, paymentId } = await buyInvoicedByTransfer(shop)
    const isVoided = orders.call(voidOrder, { id }, seller).then(
      () => true,
      (error: unknown) => {
        expect(error).toBeInstanceOf(Conflict)
        return false
      },
    )
    await receiveMoney(shop, paymentId, 4_200)
    const outcome = (await isVoided) ? { status: 'pending', refunds: 1 } : { status: 'paid', refunds: 0 }
    await eventually(async () => {
      const [row] = await orders.rows(
        `select status, (select count(*)::int from refunds r where r.order_id = o.id and purpose = 'surplus') as refunds from orders o where id = $1`,
        [id],
      )
      expect(row).toEqual(outcome)
    })
  }
})

test('a subscription whose first order is voided has expired, and late money does not start it', async () => {
  await using shop = await startTransferShop()
  const { orders } = shop
  const { seller } = shop.shop
  const prices = [{ amount_type: 'fixed' as const, price_amount: 1_000, price_currency: 'eur' as const }]
  const plan = await orders.call(createProduct, { name: 'Plan', recurring_interval: 'month', prices }, seller)
  const { orderId: id, paymentId } = await buyInvoicedByTransfer(shop, plan)
  await orders.call(voidOrder, { id }, seller)
  await waitForPaymentState(shop, paymentId, 'failed')
  await receiveMoney(shop, paymentId, 1_000)
  await eventually(async () => {
    expect(await orders.rows(`select amount::int from refunds where purpose = 'surplus'`)).toEqual([{ amount: 1_000 }])
  })
  expect(await orders.rows('select status from subscriptions')).toEqual([{ status: 'incomplete_expired' }])
})

test('a renewal without an invoice is voided: its subscription continues, and nothing charges it any more', async () => {
  await using orders = await startOrders()
  const subscribed = await subscribe(orders, { price: 1000 })
  const { subscription, seller } = subscribed
  await replaceMethods(orders, 'ctoken_insufficient_funds')
  await advance(orders, subscribed, after(subscription.current_period_end))
  const pastDue = await waitForSubscription(orders, subscribed, { status: 'past_due' })
  const { items } = await orders.call(listOrders, { subscription_id: [subscription.id] }, seller)
  const id = items[0]?.id ?? ''
  expect(await orders.call(voidOrder, { id }, seller)).toMatchObject({
    id,
    status: 'pending',
    due_amount: 0,
    voided_at: expect.any(String),
  })
  const active = await waitForSubscription(orders, subscribed, { status: 'active' })
  expect(active.current_period_end).toBe(pastDue.current_period_end)
  expect(await readEvents(orders, orderVoided.subject)).toEqual([])
  await replaceMethods(orders, 'ctoken_ok')
  await advance(orders, subscribed, after(active.current_period_end))
  await eventually(async () =>
    expect(await orders.rows(`select status from orders where subscription_id = $1 order by created_at`, [subscription.id])).toEqual([
      { status: 'paid' },
      { status: 'pending' },
      { status: 'paid' },
    ]),
  )
  expect(await orders.rows(`select from payments where order_id = $1 and state <> 'failed'`, [id])).toEqual([])
})

test('a change of product that only the buyer can pay is undone once its order is voided', async () => {
  await using orders = await startOrders()
  const subscribed = await subscribe(orders, { price: 1000 })
  const { subscription, seller } = subscribed
  await replaceMethods(orders, 'ctoken_needs_buyer_later')
  const { id: product_id } = await createPlan(orders, seller, { price: 3000 })
  const change = { id: subscription.id, product_id, proration_behavior: 'invoice' as const }
  const { unpaid_change_order_id: id } = await orders.call(updateSubscription, change, seller)
  expect(await orders.call(voidOrder, { id: id ?? '' }, seller)).toMatchObject({ voided_at: expect.any(String) })
  const undone = await waitForSubscription(orders, subscribed, { product_id: subscription.product_id })
  expect(undone).toMatchObject({ status: 'active', unpaid_change_order_id: null, amount: 1000 })
})
