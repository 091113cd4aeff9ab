import { getCustomerOrder, listCustomerOrders } from '@quittance/contracts/customer-portal'
import { ResourceNotFound } from '@quittance/contracts/errors'
import { orderPaymentActionRequired } from '@quittance/contracts/order-payments'
import { getOrder } from '@quittance/contracts/orders'
import { createProduct } from '@quittance/contracts/products'
import { getSubscription } from '@quittance/contracts/subscriptions'
import { customerCaller } from '@quittance/testing/callers'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { testIban } from './camt.ts'
import { asThisRelease } from './money.ts'
import { readEvents } from './read-events.ts'
import { advance, after } from './subscribe.ts'
import {
  bankAccount,
  buyByTransfer,
  receiveMoney,
  startTransferShop,
  waitForOrderStatus,
  waitForPaymentState,
  type TransferShop,
} from './transfer-shop.ts'

const readRequests = ({ orders }: TransferShop) => readEvents(orders, orderPaymentActionRequired.subject)

/** Waits until a number of requests was published, and returns the last one. */
const waitForRequests = (shop: TransferShop, count: number) =>
  eventually(async () => {
    const requests = await readRequests(shop)
    expect(requests).toHaveLength(count)
    return requests.at(-1)?.payload
  })

test('the request for the transfer of a first order is published once, with where to send it', async () => {
  await using shop = await startTransferShop()
  const { orders } = shop
  const { orderId, paymentId, reference, metadata } = await buyByTransfer(shop)
  const { due_date, epc } = metadata
  expect(await readRequests(shop)).toMatchObject([
    {
      aggregate_id: orderId,
      payload: {
        id: orderId,
        status: 'pending',
        payment: { id: paymentId, status: 'pending', pending_reason: 'waiting_for_transfer' },
        transfer: { ...bankAccount, amount: 4200, reference, due_date, epc },
      },
    },
  ])
  await asThisRelease(orders, `update payments set next_check_at = now() - interval '1 minute'`)
  await eventually(async () => expect(await orders.rows('select from payments where next_check_at > now()')).toHaveLength(1))
  expect(await readRequests(shop)).toHaveLength(1)
})

test('each request for the transfer of a renewal is published, and money that names an earlier one pays the order', async () => {
  await using shop = await startTransferShop('test')
  const { orders } = shop
  const { seller } = shop.shop
  const prices = [{ amount_type: 'fixed' as const, price_amount: 1_000, price_currency: 'eur' as const }]
  const plan = await orders.call(createProduct, { name: 'Plan', recurring_interval: 'month', prices }, seller)
  const first = await buyByTransfer(shop, plan)
  await receiveMoney(shop, first.paymentId, 1_000)
  await waitForOrderStatus(shop, first.orderId, 'paid')
  const [{ id } = { id: '' }] = await orders.rows<{ id: string }>('select id from subscriptions')
  const read = () => orders.call(getSubscription, { id }, seller)
  await advance(orders, { seller }, after((await read()).current_period_end))
  const renewal = await waitForRequests(shop, 2)
  expect(renewal).toMatchObject({ billing_reason: 'subscription_cycle', subscription: { id }, transfer: { iban: testIban, amount: 1_000 } })
  await asThisRelease(orders, `update payments set action_until = now(), next_check_at = now() where id = '${renewal.payment.id}'`)
  expect(await read()).toMatchObject({ is_paid_by_transfer: true, next_payment_attempt_at: null })
  await waitForPaymentState(shop, renewal.payment.id, 'failed')
  await eventually(async () => expect(await read()).toMatchObject({ status: 'past_due' }))
  const { current_period_start: start, ...pastDue } = await read()
  const next = new Date(Date.parse(pastDue.next_payment_attempt_at ?? '') - Date.parse(start)).getUTCDate() - 1
  expect([next, pastDue.is_paid_by_transfer]).toEqual([1, true])
  const revoked = await readEvents(orders, 'event.subscription.revoked')
  expect(revoked).toMatchObject([{ payload: { is_paid_by_transfer: true, next_payment_attempt_at: pastDue.next_payment_attempt_at } }])
  await advance(orders, { seller }, new Date(Date.parse((await read()).current_period_start) + 2 * 86_400_000).toISOString())
  const again = await waitForRequests(shop, 3)
  expect(await read()).toMatchObject({ status: 'past_due', next_payment_attempt_at: null })
  expect(again).toMatchObject({ id: renewal.id, payment: { trigger: 'retry_dunning' } })
  expect(again.transfer.reference).not.toBe(renewal.transfer.reference)
  await receiveMoney(shop, renewal.payment.id, 1_000)
  await waitForOrderStatus(shop, renewal.id, 'paid')
  await waitForPaymentState(shop, again.payment.id, 'failed')
  expect(await read()).toMatchObject({ status: 'active' })
})

test('the buyer of an order reads where to send the money until it has arrived, and its seller does not', async () => {
  await using shop = await startTransferShop()
  const { orders } = shop
  const { seller, organizationId } = shop.shop
  const { orderId, paymentId, metadata } = await buyByTransfer(shop)
  const { reference, due_date, epc } = metadata
  const { customer_id: customerId } = await orders.call(getOrder, { id: orderId }, seller)
  const buyer = customerCaller({ organizationId, customerId })
  const read = () => orders.call(getCustomerOrder, { id: orderId }, buyer)
  const transfer = { ...bankAccount, amount: 4200, reference, due_date, epc }
  expect((await read()).transfer).toEqual(transfer)
  expect((await orders.call(listCustomerOrders, {}, buyer)).items).toMatchObject([{ transfer }])
  expect(await orders.call(getOrder, { id: orderId }, seller)).not.toHaveProperty('transfer')
  const other = customerCaller({ organizationId, customerId: crypto.randomUUID() })
  await expect(orders.call(getCustomerOrder, { id: orderId }, other)).rejects.toThrow(ResourceNotFound)
  await receiveMoney(shop, paymentId, 4_199)
  expect((await read()).transfer).toEqual(transfer)
  await receiveMoney(shop, paymentId, 1)
  await waitForOrderStatus(shop, orderId, 'paid')
  expect((await read()).transfer).toBeNull()
})
