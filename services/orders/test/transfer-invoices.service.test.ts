import { getCheckout } from '@quittance/contracts/checkouts'
import { generateCustomerOrderInvoice } from '@quittance/contracts/customer-portal'
import { ResourceNotFound } from '@quittance/contracts/errors'
import { orderInvoiceRequested } from '@quittance/contracts/invoice-source'
import { generateOrderInvoice, NotPaidOrder, updateOrder } from '@quittance/contracts/orders'
import { orderInvoiceDue } from '@quittance/contracts/unpaid-invoices'
import { createRefund } from '@quittance/contracts/refunds'
import { addReceipt } from '@quittance/contracts/bank-receipts'
import { customerCaller } from '@quittance/testing/callers'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { testIban } from './camt.ts'
import { asThisRelease } from './money.ts'
import { buyByTransfer, startTransferShop, waitForOrderStatus, waitForPaymentState, type TransferShop } from './transfer-shop.ts'

const details = {
  billing_name: 'Ada Lovelace',
  billing_address: { line1: '1 Row', city: 'London', postal_code: 'E1 6AN', country: 'GB' as const },
}

async function requestInvoice({ orders, shop }: TransferShop, id: string): Promise<void> {
  await orders.call(updateOrder, { id, ...details }, shop.seller)
  await orders.call(generateOrderInvoice, { id }, shop.seller)
}

test('an order that waits for a transfer is invoiced with its terms before it is paid [payments 65]', async () => {
  await using shop = await startTransferShop()
  const { orders } = shop
  const { orderId, paymentId, metadata, reference } = await buyByTransfer(shop)
  await requestInvoice(shop, orderId)
  const due = await orders.nextEvent(orderInvoiceDue)
  expect(due).toMatchObject({ order_id: orderId, paid_at: null, total_amount: 4200, payment: null, billing_name: 'Ada Lovelace' })
  expect(due.transfer).toEqual({
    beneficiary: 'Acme Books Ltd',
    iban: testIban,
    bic: 'COBADEFFXXX',
    reference,
    due_date: metadata['due_date'],
    epc: metadata['epc'],
  })
  const receipt = { id: paymentId, amount: 4_200, booked_on: '2026-11-24', bank_reference: 'a' }
  await orders.call(addReceipt, receipt, shop.shop.seller)
  await waitForOrderStatus(shop, orderId, 'paid')
  // The payment is published, because a replacement of the invoice must not ask for it again.
  const ofPayment = await orders.nextEvent(orderInvoiceRequested)
  expect(ofPayment).toMatchObject({ order_id: orderId, paid_at: expect.any(String), refunds: [] })
  await orders.call(createRefund, { order_id: orderId, amount: 100, reason: 'other' }, shop.shop.seller)
  await orders.call(generateOrderInvoice, { id: orderId }, shop.shop.seller)
  expect(await orders.nextEvent(orderInvoiceRequested)).toMatchObject({ order_id: orderId, paid_at: expect.any(String) })
})

test('a pending order without a requested transfer has no invoice, and nothing is frozen', async () => {
  await using shop = await startTransferShop()
  const { orders } = shop
  const { orderId, paymentId } = await buyByTransfer(shop)
  for (const change of [
    `quarantined_at = now(), quarantine_reason = 'amount'`,
    `action_until = now() - interval '1 day', next_check_at = now()`,
  ]) {
    await asThisRelease(orders, `update payments set quarantined_at = null, quarantine_reason = null`)
    await asThisRelease(orders, `update payments set ${change}`)
    if (change.startsWith('action')) await waitForPaymentState(shop, paymentId, 'failed')
    await expect(requestInvoice(shop, orderId)).rejects.toThrow(NotPaidOrder)
  }
  expect(await orders.rows('select invoice_requested_at from orders')).toEqual([{ invoice_requested_at: null }])
})

test('an invoiced order keeps its amounts: without the money its checkout ends, and SQL cannot change them', async () => {
  await using shop = await startTransferShop()
  const { orders } = shop
  const { orderId, paymentId, checkoutId } = await buyByTransfer(shop)
  await requestInvoice(shop, orderId)
  await asThisRelease(orders, `update payments set action_until = now() - interval '1 day', next_check_at = now()`)
  await waitForPaymentState(shop, paymentId, 'failed')
  await eventually(async () => {
    const checkout = await orders.call(getCheckout, { id: checkoutId }, shop.shop.seller)
    expect(checkout.status).toBe('failed')
  })
  const change = asThisRelease(orders, `update orders set subtotal_amount = 1, net_amount = 1, total_amount = 1`)
  await expect(change).rejects.toThrow('The invoice of order')
})

test('only its customer requests the invoice of an order that waits for a transfer', async () => {
  await using shop = await startTransferShop()
  const { orders } = shop
  const { organizationId, seller } = shop.shop
  const { orderId } = await buyByTransfer(shop)
  const [{ customer_id: customerId } = { customer_id: '' }] = await orders.rows<{ customer_id: string }>('select customer_id from orders')
  await orders.call(updateOrder, { id: orderId, ...details }, seller)
  const request = (customer: string) =>
    orders.call(generateCustomerOrderInvoice, { id: orderId }, customerCaller({ organizationId, customerId: customer }))
  await expect(request(crypto.randomUUID())).rejects.toThrow(ResourceNotFound)
  expect(await orders.rows('select invoice_requested_at from orders')).toEqual([{ invoice_requested_at: null }])
  await request(customerId)
  expect(await orders.nextEvent(orderInvoiceDue)).toMatchObject({ order_id: orderId })
})
