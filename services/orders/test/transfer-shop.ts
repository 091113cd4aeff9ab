import { randomUUID } from 'node:crypto'
import { confirmCheckout, createCheckout } from '@quittance/contracts/checkouts'
import { invoiceGenerated } from '@quittance/contracts/invoices'
import { generateOrderInvoice, getOrder, listOrders, updateOrder } from '@quittance/contracts/orders'
import { createPaymentAccount, type PaymentAccount } from '@quittance/contracts/payment-accounts'
import { addReceipt, type BankReceipt } from '@quittance/contracts/bank-receipts'
import { createProduct } from '@quittance/contracts/products'
import { createRefund } from '@quittance/contracts/refunds'
import { eventually } from '@quittance/testing/eventually'
import { expect } from 'vitest'
import { testIban } from './camt.ts'
import { startOrders, type OrdersUnderTest, type Shop } from './start-orders.ts'
import { sharedFake } from './stripe-shop.ts'

/** A seller who is paid by bank transfer, with a product for 42.00 euro. */
export interface TransferShop extends AsyncDisposable {
  orders: OrdersUnderTest
  shop: Shop
  account: PaymentAccount
}

export const bankAccount = { beneficiary: 'Acme Books Ltd', iban: testIban, bic: 'COBADEFFXXX', currency: 'eur' } as const

/** In `test` mode its clock can be advanced. */
export async function startTransferShop(mode: 'live' | 'test' = 'live'): Promise<TransferShop> {
  await sharedFake()
  const orders = await startOrders()
  const { seller, organizationId } = await orders.shop()
  const prices = [{ amount_type: 'fixed' as const, price_amount: 4200, price_currency: 'eur' as const }]
  const product = await orders.call(createProduct, { name: 'Almanac', recurring_interval: null, prices }, seller)
  const account = await orders.call(createPaymentAccount, { provider: 'bank_transfer', mode, bank: bankAccount }, seller)
  return { orders, shop: { seller, organizationId, product }, account, [Symbol.asyncDispose]: () => orders[Symbol.asyncDispose]() }
}

/** What a buyer sees, with the order and the payment. */
export interface Transfer {
  paymentId: string
  orderId: string
  checkoutId: string
  clientSecret: string
  reference: string
  metadata: Record<string, string>
}

/** Confirms a checkout by bank transfer. */
export async function buyByTransfer(
  { orders, shop }: Pick<TransferShop, 'orders' | 'shop'>,
  product = shop.product,
  chosen: { payment_method_type?: 'bank_transfer' } = { payment_method_type: 'bank_transfer' },
): Promise<Transfer> {
  const { id: checkoutId, client_secret } = await orders.call(createCheckout, { products: [product.id] }, shop.seller)
  const buyer = { customer_email: `${randomUUID()}@example.com`, customer_billing_address: { country: 'GB' as const } }
  const confirmation = { client_secret, ...chosen, ...buyer }
  const { payment_processor_metadata: metadata } = await orders.call(confirmCheckout, confirmation, { kind: 'anonymous' })
  const [payment] = await orders.rows<{ id: string; order_id: string }>('select id, order_id from payments where checkout_id = $1', [
    checkoutId,
  ])
  const reference = metadata['reference'] ?? ''
  return { paymentId: payment?.id ?? '', orderId: payment?.order_id ?? '', checkoutId, clientSecret: client_secret, reference, metadata }
}

/** Buys by transfer, and has the invoice generated before the money arrives. */
export async function buyInvoicedByTransfer(
  { orders, shop }: Pick<TransferShop, 'orders' | 'shop'>,
  product = shop.product,
): Promise<Transfer> {
  const transfer = await buyByTransfer({ orders, shop }, product)
  await invoiceUnpaid({ orders, shop }, transfer.orderId)
  return transfer
}

/** Has the invoice of an order generated before the money arrives. */
export async function invoiceUnpaid({ orders, shop }: Pick<TransferShop, 'orders' | 'shop'>, id: string): Promise<void> {
  const { seller, organizationId } = shop
  const billing_address = { line1: '1 Row', city: 'London', postal_code: 'E1 6AN', country: 'GB' as const }
  await orders.call(updateOrder, { id, billing_name: 'Ada Lovelace', billing_address }, seller)
  await orders.call(generateOrderInvoice, { id }, seller)
  const document = { invoice_id: randomUUID(), number: `R-${id}`, sha256: 'a'.repeat(64), generated_at: new Date().toISOString() }
  await orders.emit(invoiceGenerated, { ...document, order_id: id }, { organizationId, aggregateId: document.invoice_id })
  await eventually(async () => {
    expect(await orders.call(getOrder, { id }, seller)).toMatchObject({ is_invoice_generated: true, voided_at: null })
  })
}

/** Records an amount in minor units that arrived for a payment. */
export function receiveMoney({ orders, shop }: TransferShop, id: string, amount: number): Promise<BankReceipt> {
  return orders.call(addReceipt, { id, amount, booked_on: '2026-11-24', bank_reference: randomUUID() }, shop.seller)
}

/** Waits until a payment has a state. */
export function waitForPaymentState({ orders }: Pick<TransferShop, 'orders'>, id: string, state: string): Promise<void> {
  return eventually(async () => {
    expect(await orders.rows('select state from payments where id = $1', [id])).toEqual([{ state }])
  })
}

/** Waits until no check of a payment is due or in progress: it would overwrite what a test changes. */
export function waitForChecks({ orders }: Pick<TransferShop, 'orders'>, id: string): Promise<void> {
  return eventually(async () => {
    const idle = 'select from payments where id = $1 and leased_until is null and (next_check_at is null or next_check_at > now())'
    expect(await orders.rows(idle, [id])).toHaveLength(1)
  })
}

/** Waits until an order has a status. */
export function waitForOrderStatus(
  { orders, shop }: Pick<TransferShop, 'orders' | 'shop'>,
  orderId: string,
  status: string,
): Promise<void> {
  return eventually(async () => {
    const { items } = await orders.call(listOrders, {}, shop.seller)
    expect(items.find(({ id }) => id === orderId)?.status).toBe(status)
  })
}

/** Creates a bank account of a shop in the currency of its product, with a paid order and a refund that its seller has not returned yet. */
export async function createPaidTransfer(orders: OrdersUnderTest, shop: Shop) {
  const bank = { ...bankAccount, currency: 'usd' } as const
  const account = await orders.call(createPaymentAccount, { provider: 'bank_transfer', mode: 'test', bank }, shop.seller)
  const transfer = await buyByTransfer({ orders, shop })
  const receipt = { id: transfer.paymentId, booked_on: '2026-11-24', bank_reference: randomUUID() }
  const [{ amount } = { amount: 0 }] = await orders.rows<{ amount: number }>('select amount::int from payments where id = $1', [receipt.id])
  await orders.call(addReceipt, { ...receipt, amount }, shop.seller)
  await waitForOrderStatus({ orders, shop }, transfer.orderId, 'paid')
  const refund = await orders.call(createRefund, { order_id: transfer.orderId, reason: 'other', amount: 1 }, shop.seller)
  return { accountId: account.id, paymentId: transfer.paymentId, refundId: refund.id }
}

/** What the ledger has of an account of the books, in minor units. */
export async function readBalance({ orders }: Pick<TransferShop, 'orders'>, account: string): Promise<number> {
  const [row] = await orders.rows<{ balance: number }>(
    `select coalesce(sum(case when credit = $1 then amount else -amount end), 0)::int as balance from ledger_entries where $1 in (debit, credit)`,
    [account],
  )
  return row?.balance ?? 0
}
