import { addReceipt } from '@quittance/contracts/bank-receipts'
import {
  checkoutUpdated,
  confirmCheckout,
  createCheckout,
  getCheckout,
  PaymentError,
  updateCheckoutByClient,
} from '@quittance/contracts/checkouts'
import { createDiscount, getDiscount } from '@quittance/contracts/discounts'
import { orderInvoiceRequested } from '@quittance/contracts/invoice-source'
import { generateOrderInvoice, getOrder, listOrders } from '@quittance/contracts/orders'
import { createPaymentAccount } from '@quittance/contracts/payment-accounts'
import { createProduct, type Product } from '@quittance/contracts/products'
import { getSubscription, listSubscriptions, type Subscription } from '@quittance/contracts/subscriptions'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { asThisRelease } from './money.ts'
import { startOrders } from './start-orders.ts'
import { sharedFake } from './stripe-shop.ts'
import { expectCurrentPeriod } from './subscribe.ts'
import { bankAccount, readBalance, startTransferShop, waitForOrderStatus, type TransferShop } from './transfer-shop.ts'

const anonymous = { kind: 'anonymous' } as const
const euros = (price_amount: number) => ({ amount_type: 'fixed' as const, price_amount, price_currency: 'eur' as const })
const chosen = { amount_type: 'custom' as const, price_currency: 'eur' as const, minimum_amount: 100 }
const half = { name: 'Half', code: 'HALF', type: 'percentage' as const, basis_points: 5_000, duration: 'forever' as const }

function createPlan({ orders, shop }: TransferShop, price: ReturnType<typeof euros> | typeof chosen | { amount_type: 'free' }) {
  return orders.call(createProduct, { name: 'Plan', recurring_interval: 'month', prices: [price] }, shop.seller)
}

/** Starts a free subscription. */
async function subscribeFree({ orders, shop }: TransferShop, free: Product): Promise<Subscription> {
  const { client_secret } = await orders.call(createCheckout, { products: [free.id] }, shop.seller)
  await orders.call(confirmCheckout, { client_secret, customer_email: 'ada@example.com' }, anonymous)
  const { items } = await orders.call(listSubscriptions, {}, shop.seller)
  return items[0] as Subscription
}

interface Lapsed {
  id: string
  client_secret: string
  paymentId: string
  orderId: string
}

/** Confirms a checkout by bank transfer, and waits until its time is over and it is open again. */
async function lapse({ orders, shop }: TransferShop, request: object, confirmation: object = {}): Promise<Lapsed> {
  const { id, client_secret } = await orders.call(createCheckout, request as { products: string[] }, shop.seller)
  const buyer = { customer_email: 'ada@example.com', customer_billing_address: { country: 'GB' as const } }
  const byTransfer = { client_secret, payment_method_type: 'bank_transfer' as const, ...buyer, ...confirmation }
  await orders.call(confirmCheckout, byTransfer, anonymous)
  const [payment] = await orders.rows<{ id: string; order_id: string }>('select id, order_id from payments where checkout_id = $1', [id])
  await asThisRelease(orders, 'update payments set action_until = now(), next_check_at = now() where settled_at is null')
  await eventually(async () => expect((await orders.call(getCheckout, { id }, shop.seller)).status).toBe('open'))
  return { id, client_secret, paymentId: payment?.id ?? '', orderId: payment?.order_id ?? '' }
}

function receive({ orders, shop }: TransferShop, { paymentId: id }: Lapsed, amount: number) {
  return orders.call(addReceipt, { id, amount, booked_on: '2026-11-24', bank_reference: 'late' }, shop.seller)
}

test('late money upgrades to the product of its order, not to the one that the checkout was changed to', async () => {
  await using shop = await startTransferShop()
  const { orders } = shop
  const { seller } = shop.shop
  const free = await subscribeFree(shop, await createPlan(shop, { amount_type: 'free' }))
  const cheap = await createPlan(shop, euros(100))
  const dear = await orders.call(createProduct, { name: 'Dear', recurring_interval: 'year', prices: [euros(1_000_000)] }, seller)
  const lapsed = await lapse(shop, { products: [cheap.id, dear.id], subscription_id: free.id })
  const changed = await orders.call(updateCheckoutByClient, { client_secret: lapsed.client_secret, product_id: dear.id }, anonymous)
  expect(changed).toMatchObject({ product_id: dear.id, total_amount: 1_000_000 })
  await receive(shop, lapsed, 100)
  await waitForOrderStatus(shop, lapsed.orderId, 'paid')
  const upgraded = await orders.call(getSubscription, { id: free.id }, seller)
  expect(upgraded).toMatchObject({ status: 'active', product_id: cheap.id, amount: 100, recurring_interval: 'month' })
  await expectCurrentPeriod(orders, lapsed.orderId, upgraded)
  const sold = { status: 'succeeded', product_id: cheap.id, product_price_id: cheap.prices[0]?.id, amount: 100, total_amount: 100 }
  expect(await orders.call(getCheckout, { id: lapsed.id }, seller)).toMatchObject(sold)
  await eventually(async () => {
    const published = orders.publishedEvents.filter(({ subject }) => subject === checkoutUpdated.subject)
    expect(published.at(-1)?.payload).toMatchObject(sold)
  })
})

test('late money upgrades at the chosen amount and without the discount that was entered after the order', async () => {
  await using shop = await startTransferShop()
  const { orders } = shop
  const { seller } = shop.shop
  const free = await subscribeFree(shop, await createPlan(shop, { amount_type: 'free' }))
  const plan = await createPlan(shop, chosen)
  const discount = await orders.call(createDiscount, half, seller)
  const lapsed = await lapse(shop, { products: [plan.id], subscription_id: free.id }, { amount: 500 })
  const change = { client_secret: lapsed.client_secret, amount: 100, discount_code: 'HALF' }
  expect(await orders.call(updateCheckoutByClient, change, anonymous)).toMatchObject({ total_amount: 50, discount_id: discount.id })
  await receive(shop, lapsed, 500)
  await waitForOrderStatus(shop, lapsed.orderId, 'paid')
  expect(await orders.call(getSubscription, { id: free.id }, seller)).toMatchObject({ amount: 500, discount_id: null })
  expect(await orders.call(getCheckout, { id: lapsed.id }, seller)).toMatchObject({ status: 'succeeded', amount: 500, discount_id: null })
  expect(await orders.call(getDiscount, { id: discount.id }, seller)).toMatchObject({ redemptions_count: 0 })
})

test('late money counts the redemption of its order again, and the checkout shows what the order sold', async () => {
  await using shop = await startTransferShop()
  const { orders } = shop
  const { seller, product } = shop.shop
  const dear = await orders.call(createProduct, { name: 'Dear', recurring_interval: null, prices: [euros(1_000_000)] }, seller)
  const discount = await orders.call(createDiscount, half, seller)
  const countRedemptions = async () => (await orders.call(getDiscount, { id: discount.id }, seller)).redemptions_count
  const lapsed = await lapse(shop, { products: [product.id, dear.id] }, { discount_code: 'HALF' })
  expect(await countRedemptions()).toBe(0)
  const change = { client_secret: lapsed.client_secret, product_id: dear.id, discount_code: null }
  await orders.call(updateCheckoutByClient, change, anonymous)
  await receive(shop, lapsed, 2_100)
  await waitForOrderStatus(shop, lapsed.orderId, 'paid')
  expect(await countRedemptions()).toBe(1)
  expect(await orders.call(getCheckout, { id: lapsed.id }, seller)).toMatchObject({
    status: 'succeeded',
    product_id: product.id,
    discount_id: discount.id,
    amount: 4_200,
    discount_amount: 2_100,
    total_amount: 2_100,
  })
})

test('late money of a new subscription is returned, whatever its checkout offers since', async () => {
  await using shop = await startTransferShop()
  const { orders } = shop
  const { seller } = shop.shop
  const [cheap, dear] = [await createPlan(shop, euros(100)), await createPlan(shop, euros(1_000_000))]
  const lapsed = await lapse(shop, { products: [cheap.id, dear.id] })
  await orders.call(updateCheckoutByClient, { client_secret: lapsed.client_secret, product_id: dear.id }, anonymous)
  await receive(shop, lapsed, 100)
  await eventually(async () => expect(await orders.rows('select from payments where surplus_at is not null')).toHaveLength(1))
  expect(await readBalance(shop, 'order')).toBe(0)
  expect((await orders.call(listOrders, {}, seller)).items).toMatchObject([
    { status: 'pending', product_id: cheap.id, subscription: { status: 'incomplete_expired' } },
  ])
  expect((await orders.call(getCheckout, { id: lapsed.id }, seller)).status).toBe('open')
})

test('an invoice names no method of a payment that its order did not need', async () => {
  await sharedFake()
  await using orders = await startOrders()
  const shop = await orders.shop()
  const { seller } = shop
  const prices = [{ amount_type: 'fixed' as const, price_amount: 4200 }]
  const plan = await orders.call(createProduct, { name: 'Plan', recurring_interval: 'month', prices }, seller)
  const bank = { ...bankAccount, currency: 'usd' } as const
  await orders.call(createPaymentAccount, { provider: 'bank_transfer', mode: 'test', bank }, seller)
  const { client_secret } = await orders.call(createCheckout, { products: [plan.id] }, seller)
  const address = { line1: '1 Row', city: 'London', postal_code: 'E1 6AN', country: 'GB' as const }
  const buyer = { client_secret, customer_email: 'ada@example.com', customer_name: 'Ada', customer_billing_address: address }
  const byCard = orders.call(confirmCheckout, { ...buyer, confirmation_token_id: 'ctoken_late_success' }, anonymous)
  await expect(byCard).rejects.toThrow(PaymentError)
  await orders.call(confirmCheckout, { ...buyer, payment_method_type: 'bank_transfer' }, anonymous)
  const [payment] = await orders.rows<{ id: string; order_id: string; amount: number }>(
    `select id, order_id, amount::int from payments where payment_account_id is not null and is_open`,
  )
  const { id = '', order_id = '', amount = 0 } = payment ?? {}
  await orders.call(addReceipt, { id, amount, booked_on: '2026-11-24', bank_reference: 'a' }, seller)
  await waitForOrderStatus({ orders, shop }, order_id, 'paid')
  await asThisRelease(orders, `update payments set next_check_at = now(), leased_until = null where state = 'failed'`)
  await eventually(async () =>
    expect(await orders.rows('select from payments where surplus_at is not null and payment_method_id is not null')).toHaveLength(1),
  )
  await orders.call(generateOrderInvoice, { id: order_id }, seller)
  expect(await orders.nextEvent(orderInvoiceRequested)).toMatchObject({ order_id, payment: null })
})

test('late money for a product does not pay for another of the same price that was ordered since', async () => {
  await using shop = await startTransferShop()
  const { orders } = shop
  const { seller, product } = shop.shop
  const other = await orders.call(createProduct, { name: 'Atlas', recurring_interval: null, prices: [euros(4200)] }, seller)
  const lapsed = await lapse(shop, { products: [product.id, other.id] })
  const { client_secret, orderId } = lapsed
  await orders.call(confirmCheckout, { client_secret, product_id: other.id, payment_method_type: 'bank_transfer' }, anonymous)
  expect((await orders.call(getOrder, { id: orderId }, seller)).product_id).toBe(other.id)
  await receive(shop, lapsed, 4200)
  await eventually(async () =>
    expect(await orders.rows('select id from payments where surplus_at is not null')).toEqual([{ id: lapsed.paymentId }]),
  )
  expect((await orders.call(getOrder, { id: orderId }, seller)).status).toBe('pending')
})
