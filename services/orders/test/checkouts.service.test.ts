import { randomUUID } from 'node:crypto'
import { benefitGrantCreated } from '@quittance/contracts/benefit-grants'
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
  updateCheckout,
  updateCheckoutByClient,
} from '@quittance/contracts/checkouts'
import { createDiscount, getDiscount } from '@quittance/contracts/discounts'
import { RequestValidationError, ResourceNotFound, ServiceUnavailable } from '@quittance/contracts/errors'
import { listLicenseKeys } from '@quittance/contracts/license-keys'
import { orderCreated, orderPaid, orderUpdated } from '@quittance/contracts/orders'
import { createProduct } from '@quittance/contracts/products'
import { organizationCaller } from '@quittance/testing/callers'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { createLicenseKeyShop } from './sell-license-keys.ts'
import { startOrders } from './start-orders.ts'

const anonymous = { kind: 'anonymous' } as const

test('publishes the order of a confirmed checkout as pending and then as paid', async () => {
  await using orders = await startOrders()
  const { seller, product } = await orders.shop()
  const checkout = await orders.call(createCheckout, { products: [product.id], metadata: { cart: 7 } }, seller)
  const { id, url } = checkout
  const withoutSecret = { ...checkout, client_secret: id, url: url.replace(checkout.client_secret, id) }
  expect(await orders.nextEvent(checkoutCreated)).toEqual({ ...withoutSecret, success_url: `${withoutSecret.url}/confirmation` })
  const confirmation = { client_secret: checkout.client_secret, customer_email: 'ada@example.com', confirmation_token_id: 'ctoken_ok' }
  const confirmed = await orders.call(confirmCheckout, confirmation, anonymous)
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
  const aboutOrder = orders.publishedEvents.map(({ subject }) => subject).filter((subject) => subject.startsWith('event.order.'))
  expect(aboutOrder).toEqual(['event.order.created', 'event.order.updated', 'event.order.paid'])
  expect(await orders.call(getCheckout, { id: checkout.id }, seller)).toMatchObject({ status: 'succeeded' })
  expect((await orders.call(listCheckouts, { status: 'succeeded' }, seller)).items).toHaveLength(1)
})

test('a new checkout is not modified; a deprecated key can name its product, and the currency must be that of the product', async () => {
  await using orders = await startOrders()
  const { seller, product } = await orders.shop()
  const [price] = product.prices
  const checkout = await orders.call(createCheckout, { product_id: product.id, currency: 'usd' }, seller)
  expect(checkout).toMatchObject({ modified_at: null, product_id: product.id, amount: 4200, total_amount: 4200 })
  expect(await orders.nextEvent(checkoutCreated)).toMatchObject({ id: checkout.id, modified_at: null })
  const byPrice = await orders.call(createCheckout, { product_price_id: price?.id ?? '' }, seller)
  expect(byPrice).toMatchObject({ product_id: product.id, products: [{ id: product.id }] })
  for (const wrong of [
    {},
    { product_id: randomUUID() },
    { product_price_id: randomUUID() },
    { products: [product.id], currency: 'eur' },
    { products: [product.id], customer_metadata: { share: 1.5 } },
    { products: [product.id], metadata: { discord_id: 2 ** 60 } },
  ])
    await expect(orders.call(createCheckout, wrong, seller)).rejects.toThrow(RequestValidationError)
  expect(await orders.rows('select id from checkouts')).toHaveLength(2)
})

test('a discount lowers the amount and counts one redemption', async () => {
  await using orders = await startOrders()
  const { seller, product } = await orders.shop()
  const discount = await orders.call(createDiscount, { name: 'Ten', type: 'percentage', basis_points: 1000, duration: 'once' }, seller)
  const checkout = await orders.call(createCheckout, { products: [product.id], discount_id: discount.id }, seller)
  expect(checkout).toMatchObject({ amount: 4200, discount_amount: 420, net_amount: 3780, subtotal_amount: 3780, total_amount: 3780 })
  const confirmation = { client_secret: checkout.client_secret, customer_email: 'ada@example.com', confirmation_token_id: 'ctoken_ok' }
  await orders.call(confirmCheckout, confirmation, anonymous)
  expect(await orders.nextEvent(orderPaid)).toMatchObject({ subtotal_amount: 4200, discount_amount: 420, net_amount: 3780 })
  expect(await orders.call(getDiscount, { id: discount.id }, seller)).toMatchObject({ redemptions_count: 1 })
})

test('a free order is paid at once, without a payment [56]', async () => {
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
    anonymous,
  )
  expect(await orders.nextEvent(orderPaid)).toMatchObject({ total_amount: 0, discount_id: all.id })
  expect(await orders.rows('select from payments')).toHaveLength(0)
})

test('a declined payment leaves the checkout open, redeems nothing and creates no order', async () => {
  await using orders = await startOrders()
  const { seller, product } = await orders.shop()
  const discount = await orders.call(createDiscount, { name: 'Ten', type: 'percentage', basis_points: 1000, duration: 'once' }, seller)
  const checkout = await orders.call(createCheckout, { products: [product.id], discount_id: discount.id }, seller)
  const confirmation = {
    client_secret: checkout.client_secret,
    customer_email: 'ada@example.com',
    confirmation_token_id: 'ctoken_declined',
  }
  await expect(orders.call(confirmCheckout, confirmation, anonymous)).rejects.toThrow(PaymentError)
  expect(await orders.call(getCheckoutByClient, { client_secret: checkout.client_secret }, anonymous)).toMatchObject({ status: 'open' })
  expect(await orders.call(getDiscount, { id: discount.id }, seller)).toMatchObject({ redemptions_count: 0 })
  expect(await orders.rows('select from orders')).toHaveLength(0)
})

test('names every missing field and writes nothing', async () => {
  await using orders = await startOrders()
  const { seller, product } = await orders.shop()
  const checkout = await orders.call(createCheckout, { products: [product.id], require_billing_address: true }, seller)
  const rejection = orders.call(confirmCheckout, { client_secret: checkout.client_secret }, anonymous)
  await expect(rejection).rejects.toThrow(/customer_email.*confirmation_token_id.*customer_billing_address/)
  await expect(rejection).rejects.toThrow(RequestValidationError)
  expect(await orders.rows('select from customers')).toHaveLength(0)
})

test('a required billing address has every part that an address of its country has', async () => {
  await using orders = await startOrders()
  const { seller, product } = await orders.shop()
  const { client_secret } = await orders.call(createCheckout, { products: [product.id], require_billing_address: true }, seller)
  const buyer = { client_secret, customer_email: 'ada@example.com', confirmation_token_id: 'ctoken_ok' }
  const confirm = (address: { country: string }) => orders.call(confirmCheckout, { ...buyer, customer_billing_address: address }, anonymous)
  await expect(confirm({ country: 'US' })).rejects.toThrow(/line1.*city.*postal_code.*state/)
  const street = { line1: '1 Harbour Road', city: 'Wan Chai' }
  const lacksPostalCode = confirm({ ...street, country: 'DE' })
  await expect(lacksPostalCode).rejects.toThrow(/body\.customer_billing_address\.postal_code/)
  await expect(lacksPostalCode).rejects.not.toThrow(/line1|city|state/)
  expect(await confirm({ ...street, country: 'HK' })).toMatchObject({ status: 'confirmed' })
})

test('rejects a second confirmation, also a concurrent one: one order', async () => {
  await using orders = await startOrders()
  const { seller, product } = await orders.shop()
  const checkout = await orders.call(createCheckout, { products: [product.id] }, seller)
  const confirmation = { client_secret: checkout.client_secret, customer_email: 'ada@example.com', confirmation_token_id: 'ctoken_ok' }
  const both = await Promise.allSettled([
    orders.call(confirmCheckout, confirmation, anonymous),
    orders.call(confirmCheckout, confirmation, anonymous),
  ])
  expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  await expect(orders.call(confirmCheckout, confirmation, anonymous)).rejects.toThrow(NotOpenCheckout)
  expect(await orders.rows('select from orders')).toHaveLength(1)
})

test('a buyer can neither read nor confirm an expired checkout', async () => {
  await using orders = await startOrders()
  const { seller, product } = await orders.shop()
  const { client_secret } = await orders.call(createCheckout, { products: [product.id] }, seller)
  await orders.rows(`update checkouts set expires_at = now() - interval '1 second'`)
  await expect(orders.call(getCheckoutByClient, { client_secret }, anonymous)).rejects.toThrow(ExpiredCheckoutError)
  const confirmation = { client_secret, customer_email: 'ada@example.com', confirmation_token_id: 'ctoken_ok' }
  await expect(orders.call(confirmCheckout, confirmation, anonymous)).rejects.toThrow(ExpiredCheckoutError)
})

test('returns not found for an unknown client secret', async () => {
  await using orders = await startOrders()
  await expect(orders.call(getCheckoutByClient, { client_secret: 'qt_co_unknown' }, anonymous)).rejects.toThrow(ResourceNotFound)
  await expect(orders.call(confirmCheckout, { client_secret: 'qt_co_unknown' }, anonymous)).rejects.toThrow(ResourceNotFound)
})

test('rejects references of a checkout that do not exist in the organization', async () => {
  await using orders = await startOrders()
  const { seller, product } = await orders.shop()
  const stranger = await orders.shop()
  await expect(orders.call(createCheckout, { products: [stranger.product.id] }, seller)).rejects.toThrow(/products\.0/)
  await expect(orders.call(createCheckout, { products: [product.id], discount_id: randomUUID() }, seller)).rejects.toThrow(/discount_id/)
  await expect(orders.call(createCheckout, { products: [product.id], customer_id: randomUUID() }, seller)).rejects.toThrow(
    RequestValidationError,
  )
  const { id } = await orders.call(createCheckout, { products: [product.id] }, seller)
  await expect(orders.call(getCheckout, { id }, stranger.seller)).rejects.toThrow(ResourceNotFound)
})

test('accepts and returns both names of the external customer id', async () => {
  await using orders = await startOrders()
  const { seller, product } = await orders.shop()
  const old = await orders.call(createCheckout, { products: [product.id], customer_external_id: 'u-9' }, seller)
  expect(old).toMatchObject({ external_customer_id: 'u-9', customer_external_id: 'u-9' })
})

test('returns 503 for an organization that has not been received yet', async () => {
  await using orders = await startOrders()
  const seller = organizationCaller(randomUUID())
  const product = await orders.call(createProduct, { name: 'Early', recurring_interval: null, prices: [{ amount_type: 'free' }] }, seller)
  await expect(orders.call(createCheckout, { products: [product.id] }, seller)).rejects.toThrow(ServiceUnavailable)
})

test('completes a payment that was due at the stop once after the restart', async () => {
  await using orders = await startOrders()
  const { order } = await orders.pendingOrder()
  // The provider replied that it is in progress: nothing else writes the row from here on.
  await eventually(async () =>
    expect(await orders.rows(`select from payments where state = 'processing' and leased_until is null`)).toHaveLength(1),
  )
  await orders.rows(`update sandbox_objects set status = 'succeeded' returning 1`)
  await orders.rows(`update payments set next_check_at = now(), leased_until = now() + interval '1 second'`)
  await orders.restart()
  expect(await orders.nextEvent(orderPaid)).toMatchObject({ id: order.id })
  await orders.nextEvent(checkoutUpdated)
  await eventually(async () => expect(await orders.rows(`select from payments where status = 'succeeded'`)).toHaveLength(1))
  expect(orders.publishedEvents.filter(({ subject }) => subject === orderPaid.subject)).toHaveLength(1)
})

test('no event of a sale contains a client secret, session token or key, or a usable substitute', async () => {
  await using orders = await startOrders()
  const shop = await createLicenseKeyShop(orders)
  const { client_secret, id } = await orders.call(createCheckout, { products: [shop.product.id] }, shop.seller)
  await orders.call(updateCheckout, { id, metadata: { cart: 7 } }, shop.seller)
  await orders.call(updateCheckoutByClient, { client_secret, customer_name: 'Ada' }, anonymous)
  const confirmation = { client_secret, customer_email: 'ada@example.com', confirmation_token_id: 'ctoken_ok' }
  const { customer_session_token } = await orders.call(confirmCheckout, confirmation, anonymous)
  const created = await orders.nextEvent(checkoutCreated)
  expect(created).toMatchObject({ client_secret: id, url: expect.stringContaining(`/checkout/${id}`) })
  await eventually(() => expect(orders.publishedEvents.some(({ subject }) => subject === benefitGrantCreated.subject)).toBe(true))
  await eventually(async () => expect(await orders.call(getCheckout, { id }, shop.seller)).toMatchObject({ status: 'succeeded' }))
  const [key] = (await orders.call(listLicenseKeys, {}, shop.seller)).items
  const whole = JSON.stringify([orders.publishedEvents, await orders.rows('select payload from outbox_messages')])
  expect([client_secret, customer_session_token, key?.key ?? ''].filter((secret) => whole.includes(secret))).toEqual([])
  await expect(orders.call(getCheckoutByClient, { client_secret: created.client_secret }, anonymous)).rejects.toThrow(ResourceNotFound)
  await expect(orders.call(confirmCheckout, { ...confirmation, client_secret: id }, anonymous)).rejects.toThrow(ResourceNotFound)
})
