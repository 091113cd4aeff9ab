import { randomUUID } from 'node:crypto'
import {
  checkoutCreated,
  checkoutUpdated,
  confirmCheckout,
  createCheckout,
  ExpiredCheckoutError,
  getCheckout,
  getCheckoutByClient,
  listCheckouts,
  NotOpenCheckout,
  PaymentError,
} from '@quittance/contracts/checkouts'
import { createDiscount, getDiscount } from '@quittance/contracts/discounts'
import { RequestValidationError, ResourceNotFound, ServiceUnavailable } from '@quittance/contracts/errors'
import { orderCreated, orderPaid, orderUpdated } from '@quittance/contracts/orders'
import { createProduct } from '@quittance/contracts/products'
import { organizationCaller } from '@quittance/testing/callers'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { startOrders } from './start-orders.ts'

const nobody = { kind: 'anonymous' } as const

test('a confirmed checkout becomes an order, pending and then paid, said in this order', async () => {
  await using orders = await startOrders()
  const { seller, product } = await orders.shop()
  const checkout = await orders.call(createCheckout, { products: [product.id], metadata: { cart: 7 } }, seller)
  expect(await orders.nextEvent(checkoutCreated)).toEqual(checkout)
  const confirmation = { client_secret: checkout.client_secret, customer_email: 'ada@example.com', confirmation_token_id: 'ctoken_ok' }
  const confirmed = await orders.call(confirmCheckout, confirmation, nobody)
  expect(confirmed).toMatchObject({ status: 'confirmed', customer_session_token: expect.stringMatching(/^qt_cst_/) })
  const created = await orders.nextEvent(orderCreated)
  expect(created).toMatchObject({
    status: 'pending',
    paid: false,
    net_amount: 4200,
    amount: 4200,
    checkout_id: checkout.id,
    metadata: { cart: 7 },
  })
  expect(created.items).toMatchObject([{ label: 'Pro plan', amount: 4200 }])
  expect(await orders.nextEvent(orderUpdated)).toMatchObject({ id: created.id, status: 'paid', paid: true })
  expect(await orders.nextEvent(orderPaid)).toMatchObject({ id: created.id, status: 'paid' })
  const aboutOrder = orders.said.map(({ subject }) => subject).filter((subject) => subject.startsWith('event.order.'))
  expect(aboutOrder).toEqual(['event.order.created', 'event.order.updated', 'event.order.paid'])
  expect(await orders.call(getCheckout, { id: checkout.id }, seller)).toMatchObject({ status: 'succeeded' })
  expect((await orders.call(listCheckouts, { status: 'succeeded' }, seller)).items).toHaveLength(1)
})

test('a discount lowers the amount and counts one redemption', async () => {
  await using orders = await startOrders()
  const { seller, product } = await orders.shop()
  const discount = await orders.call(createDiscount, { name: 'Ten', type: 'percentage', basis_points: 1000, duration: 'once' }, seller)
  const checkout = await orders.call(createCheckout, { products: [product.id], discount_id: discount.id }, seller)
  expect(checkout).toMatchObject({ amount: 4200, discount_amount: 420, net_amount: 3780, subtotal_amount: 3780, total_amount: 3780 })
  const confirmation = { client_secret: checkout.client_secret, customer_email: 'ada@example.com', confirmation_token_id: 'ctoken_ok' }
  await orders.call(confirmCheckout, confirmation, nobody)
  expect(await orders.nextEvent(orderPaid)).toMatchObject({ subtotal_amount: 4200, discount_amount: 420, net_amount: 3780 })
  expect(await orders.call(getDiscount, { id: discount.id }, seller)).toMatchObject({ redemptions_count: 1 })
})

test('a free order is paid at once, without a payment (checklist 56)', async () => {
  await using orders = await startOrders()
  const { seller, product } = await orders.shop()
  const all = await orders.call(
    createDiscount,
    { name: 'All', type: 'percentage', basis_points: 10_000, duration: 'once', code: 'FREE' },
    seller,
  )
  const checkout = await orders.call(createCheckout, { products: [product.id] }, seller)
  await orders.call(
    confirmCheckout,
    { client_secret: checkout.client_secret, customer_email: 'ada@example.com', discount_code: 'free' },
    nobody,
  )
  expect(await orders.nextEvent(orderPaid)).toMatchObject({ total_amount: 0, discount_id: all.id })
  expect(await orders.rows('select from payments')).toHaveLength(0)
})

test('a declined payment leaves the checkout open, takes no redemption and makes no order', async () => {
  await using orders = await startOrders()
  const { seller, product } = await orders.shop()
  const discount = await orders.call(createDiscount, { name: 'Ten', type: 'percentage', basis_points: 1000, duration: 'once' }, seller)
  const checkout = await orders.call(createCheckout, { products: [product.id], discount_id: discount.id }, seller)
  const confirmation = {
    client_secret: checkout.client_secret,
    customer_email: 'ada@example.com',
    confirmation_token_id: 'ctoken_declined',
  }
  await expect(orders.call(confirmCheckout, confirmation, nobody)).rejects.toThrow(PaymentError)
  expect(await orders.call(getCheckoutByClient, { client_secret: checkout.client_secret }, nobody)).toMatchObject({ status: 'open' })
  expect(await orders.call(getDiscount, { id: discount.id }, seller)).toMatchObject({ redemptions_count: 0 })
  expect(await orders.rows('select from orders')).toHaveLength(0)
})

test('every missing field is named, and nothing is written', async () => {
  await using orders = await startOrders()
  const { seller, product } = await orders.shop()
  const checkout = await orders.call(createCheckout, { products: [product.id], require_billing_address: true }, seller)
  const refused = orders.call(confirmCheckout, { client_secret: checkout.client_secret }, nobody)
  await expect(refused).rejects.toThrow(/customer_email.*confirmation_token_id.*customer_billing_address/)
  await expect(refused).rejects.toThrow(RequestValidationError)
  expect(await orders.rows('select from customers')).toHaveLength(0)
})

test('a second confirmation is refused, also when both come at once: one order', async () => {
  await using orders = await startOrders()
  const { seller, product } = await orders.shop()
  const checkout = await orders.call(createCheckout, { products: [product.id] }, seller)
  const confirmation = { client_secret: checkout.client_secret, customer_email: 'ada@example.com', confirmation_token_id: 'ctoken_ok' }
  const both = await Promise.allSettled([
    orders.call(confirmCheckout, confirmation, nobody),
    orders.call(confirmCheckout, confirmation, nobody),
  ])
  expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  await expect(orders.call(confirmCheckout, confirmation, nobody)).rejects.toThrow(NotOpenCheckout)
  expect(await orders.rows('select from orders')).toHaveLength(1)
})

test('a checkout that ran out can be neither read nor confirmed by the buyer', async () => {
  await using orders = await startOrders()
  const { seller, product } = await orders.shop()
  const { client_secret } = await orders.call(createCheckout, { products: [product.id] }, seller)
  await orders.rows(`update checkouts set expires_at = now() - interval '1 second'`)
  await expect(orders.call(getCheckoutByClient, { client_secret }, nobody)).rejects.toThrow(ExpiredCheckoutError)
  const confirmation = { client_secret, customer_email: 'ada@example.com', confirmation_token_id: 'ctoken_ok' }
  await expect(orders.call(confirmCheckout, confirmation, nobody)).rejects.toThrow(ExpiredCheckoutError)
})

test('an unknown client secret is not found', async () => {
  await using orders = await startOrders()
  await expect(orders.call(getCheckoutByClient, { client_secret: 'qt_co_unknown' }, nobody)).rejects.toThrow(ResourceNotFound)
  await expect(orders.call(confirmCheckout, { client_secret: 'qt_co_unknown' }, nobody)).rejects.toThrow(ResourceNotFound)
})

test('what a checkout is made of must exist in the organization', async () => {
  await using orders = await startOrders()
  const { seller, product } = await orders.shop()
  const stranger = await orders.shop()
  await expect(orders.call(createCheckout, { products: [stranger.product.id] }, seller)).rejects.toThrow(/"products",0/)
  await expect(orders.call(createCheckout, { products: [product.id], discount_id: randomUUID() }, seller)).rejects.toThrow(/discount_id/)
  await expect(orders.call(createCheckout, { products: [product.id], customer_id: randomUUID() }, seller)).rejects.toThrow(
    RequestValidationError,
  )
  const { id } = await orders.call(createCheckout, { products: [product.id] }, seller)
  await expect(orders.call(getCheckout, { id }, stranger.seller)).rejects.toThrow(ResourceNotFound)
})

test('both names of the external customer id are understood and answered', async () => {
  await using orders = await startOrders()
  const { seller, product } = await orders.shop()
  const old = await orders.call(createCheckout, { products: [product.id], customer_external_id: 'u-9' }, seller)
  expect(old).toMatchObject({ external_customer_id: 'u-9', customer_external_id: 'u-9' })
})

test('an organization orders has not heard of yet is asked to try again', async () => {
  await using orders = await startOrders()
  const seller = organizationCaller(randomUUID())
  const product = await orders.call(createProduct, { name: 'Early', recurring_interval: null, prices: [{ amount_type: 'free' }] }, seller)
  await expect(orders.call(createCheckout, { products: [product.id] }, seller)).rejects.toThrow(ServiceUnavailable)
})

test('a payment that was due when the service stopped is completed after the restart, once', async () => {
  await using orders = await startOrders()
  const { order } = await orders.pendingOrder()
  // The processor was asked, and asks to wait: nothing else writes the row from here on.
  await eventually(async () => expect(await orders.rows('select from payments where due_at is null')).toHaveLength(1))
  await orders.rows(`update payments set confirmation_token = 'ctoken_ok', due_at = now(), leased_until = now() + interval '1 second'`)
  await orders.restart()
  expect(await orders.nextEvent(orderPaid)).toMatchObject({ id: order.id })
  await orders.nextEvent(checkoutUpdated)
  await eventually(async () => expect(await orders.rows(`select from payments where status = 'succeeded'`)).toHaveLength(1))
  expect(orders.said.filter(({ subject }) => subject === orderPaid.subject)).toHaveLength(1)
})
