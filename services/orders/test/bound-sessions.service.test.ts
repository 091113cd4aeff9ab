import type { Caller } from '@quittance/contracts/caller'
import { confirmCheckout, createCheckout, getCheckoutByClient } from '@quittance/contracts/checkouts'
import { getCustomerStateByExternalId } from '@quittance/contracts/customer-state'
import { createCustomer, customerUpdated, getCustomer, updateCustomer } from '@quittance/contracts/customers'
import {
  generateCustomerOrderInvoice,
  getCustomerOrder,
  listCustomerOrders,
  updateCustomerOrder,
} from '@quittance/contracts/customer-portal'
import {
  cancelCustomerSubscription,
  getCustomerSubscription,
  listCustomerSubscriptions,
  updateCustomerSubscription,
} from '@quittance/contracts/customer-subscriptions'
import { getCustomerBenefitGrant, listCustomerBenefitGrants } from '@quittance/contracts/customer-benefit-grants'
import { customerSessionEnded, verifyCustomerSession } from '@quittance/contracts/customer-sessions'
import { NotPermitted, ResourceNotFound } from '@quittance/contracts/errors'
import { getCustomerLicenseKey, listCustomerLicenseKeys, validateLicenseKey } from '@quittance/contracts/license-keys'
import type { RequestInput } from '@quittance/contracts/operation'
import { orderInvoiceRequested } from '@quittance/contracts/invoice-source'
import { listOrders, type Order } from '@quittance/contracts/orders'
import { createProduct, updateProductBenefits } from '@quittance/contracts/products'
import { getPortalCustomer, updatePortalCustomer } from '@quittance/contracts/portal-customers'
import { hashToken } from '@quittance/runtime/credential'
import { customerCaller } from '@quittance/testing/callers'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { anonymous, buyLicenseKey, createLicenseKeyShop, type ShopWithKeys } from './sell-license-keys.ts'
import { startOrders, type OrdersUnderTest, type Shop } from './start-orders.ts'
import { createPlan, subscribe } from './subscribe.ts'

const email = 'ada@example.com'
const home = { line1: '12 St James’s Square', city: 'London', postal_code: 'SW1Y 4JH', country: 'GB' }
const ada = { email, name: 'Ada Lovelace', billing_address: home, tax_id: ['GB980780684', 'gb_vat'] as [string, string], locale: 'en' }
const typed = { customer_email: 'ADA@example.com', customer_name: 'Mallory', customer_billing_address: { country: 'FR', city: 'Paris' } }

interface Purchase {
  order: Order
  checkoutId: string
  clientSecret: string
  /** Session of the buyer who confirmed the checkout. */
  caller: Extract<Caller, { kind: 'customer' }>
}

/** Creates a checkout of the seller and confirms it. */
async function confirm(
  orders: OrdersUnderTest,
  { seller, product }: Pick<Shop, 'seller' | 'product'>,
  { linked = {}, details = typed }: { linked?: Partial<RequestInput<typeof createCheckout>>; details?: object } = {},
): Promise<Purchase> {
  const { id, client_secret } = await orders.call(createCheckout, { products: [product.id], ...linked }, seller)
  return confirmAgain(orders, { seller, checkoutId: id, clientSecret: client_secret, details })
}

async function confirmAgain(
  orders: OrdersUnderTest,
  { seller, checkoutId, clientSecret, details }: { seller: Caller; checkoutId: string; clientSecret: string; details: object },
): Promise<Purchase> {
  const confirmation = { confirmation_token_id: 'ctoken_ok', ...details, client_secret: clientSecret }
  const { customer_session_token: token } = await orders.call(confirmCheckout, confirmation, anonymous)
  const { items } = await orders.call(listOrders, { checkout_id: checkoutId }, seller)
  return { order: items[0] as Order, checkoutId, clientSecret, caller: await verifySession(orders, token) }
}

async function verifySession(orders: OrdersUnderTest, token: string): Promise<Purchase['caller']> {
  expect(token).toMatch(/^qt_cst_/)
  const { caller } = await orders.call(verifyCustomerSession, { hash: hashToken(token) }, anonymous)
  return caller as Purchase['caller']
}

async function createFreeProduct(orders: OrdersUnderTest, { seller, benefit }: ShopWithKeys) {
  const prices = [{ amount_type: 'free' as const }]
  const product = await orders.call(createProduct, { name: 'Newsletter', recurring_interval: null, prices }, seller)
  await orders.call(updateProductBenefits, { id: product.id, benefits: [benefit.id] }, seller)
  return product
}

test('a buyer with the e-mail address of a customer sees only the purchase of the checkout', async () => {
  await using orders = await startOrders()
  const shop = await createLicenseKeyShop(orders)
  const { seller } = shop
  const customer = await orders.call(createCustomer, { ...ada, external_id: 'u-1', metadata: { note: 'rich' } }, seller)
  const own = await buyLicenseKey(orders, shop, email)
  expect(own.order.customer_id).toBe(customer.id)
  const ownGrant = (await orders.call(listCustomerBenefitGrants, {}, own.buyer)).items[0]

  const { order, caller, checkoutId } = await confirm(orders, { seller, product: await createFreeProduct(orders, shop) })
  expect(order.customer_id).toBe(customer.id)
  expect(caller).toMatchObject({ customer_id: customer.id, checkout_id: checkoutId })
  const seen = [
    await orders.call(listCustomerOrders, {}, caller),
    await orders.call(getCustomerOrder, { id: order.id }, caller),
    await orders.call(listCustomerSubscriptions, {}, caller),
    await orders.call(listCustomerBenefitGrants, {}, caller),
    await orders.call(listCustomerLicenseKeys, {}, caller),
    await orders.call(getPortalCustomer, {}, caller),
  ] as const
  const [listed, one, subscriptions, grants, keys, me] = seen
  expect(listed).toMatchObject({ items: [{ id: order.id }], pagination: { total_count: 1 } })
  expect(one).toMatchObject({ billing_name: 'Mallory', billing_address: { country: 'FR' } })
  expect(subscriptions.pagination.total_count).toBe(0)
  expect(grants).toMatchObject({ items: [{ order_id: order.id }], pagination: { total_count: 1 } })
  expect(keys.pagination.total_count).toBe(1)
  const held = { key: keys.items[0]?.key ?? '', organization_id: shop.organizationId }
  const single = [
    await orders.call(getCustomerLicenseKey, { id: keys.items[0]?.id ?? '' }, caller),
    await orders.call(getCustomerBenefitGrant, { id: grants.items[0]?.id ?? '' }, caller),
    await orders.call(validateLicenseKey, held, anonymous),
  ]
  expect(me).toMatchObject({ id: customer.id, email: typed.customer_email, name: 'Mallory', tax_id: null, email_verified: false })
  expect(me.billing_address).toMatchObject({ country: 'FR', city: 'Paris' })
  const whole = JSON.stringify([...seen, ...single])
  for (const secret of ['Lovelace', 'London', 'GB980780684', 'rich', 'u-1', own.held.key]) expect(whole).not.toContain(secret)

  const others = [
    orders.call(getCustomerOrder, { id: own.order.id }, caller),
    orders.call(updateCustomerOrder, { id: own.order.id, billing_name: 'Mallory' }, caller),
    orders.call(generateCustomerOrderInvoice, { id: own.order.id }, caller),
    orders.call(getCustomerBenefitGrant, { id: ownGrant?.id ?? '' }, caller),
    orders.call(getCustomerLicenseKey, { id: own.licenseKey.id }, caller),
  ]
  for (const outcome of await Promise.allSettled(others)) {
    expect(outcome).toMatchObject({ status: 'rejected', reason: expect.any(ResourceNotFound) })
  }
  await expect(orders.call(updatePortalCustomer, { email: 'mallory@example.com' }, caller)).rejects.toThrow(NotPermitted)
})

test('an anonymous checkout neither changes an existing customer nor publishes a change', async () => {
  await using orders = await startOrders()
  const shop = await orders.shop()
  const customer = await orders.call(createCustomer, ada, shop.seller)
  const bare = await orders.call(createCustomer, { email: 'bare@example.com' }, shop.seller)
  const details = { ...typed, customer_tax_id: 'FR83404833048' }
  const { order } = await confirm(orders, shop, { details })
  const other = await confirm(orders, shop, { details: { ...details, customer_email: 'bare@example.com' } })
  expect(order).toMatchObject({ customer_id: customer.id, billing_name: 'Mallory' })
  expect(other.order).toMatchObject({ customer_id: bare.id, billing_address: { country: 'FR' } })
  expect(await orders.call(getCustomer, { id: customer.id }, shop.seller)).toEqual(customer)
  expect(await orders.call(getCustomer, { id: bare.id }, shop.seller)).toEqual(bare)
  // Events of one customer are published in order: the first of each is the seller's.
  for (const { id } of [customer, bare]) {
    await orders.call(updateCustomer, { id, name: 'Named by the seller' }, shop.seller)
    expect(await orders.nextEvent(customerUpdated)).toMatchObject({ id, name: 'Named by the seller' })
  }
})

test('an external id neither passes to a customer found by e-mail address nor opens them', async () => {
  await using orders = await startOrders()
  const shop = await orders.shop()
  const customer = await orders.call(createCustomer, ada, shop.seller)
  const { caller, checkoutId } = await confirm(orders, shop, { linked: { external_customer_id: 'u-mallory' } })
  expect(caller).toMatchObject({ customer_id: customer.id, checkout_id: checkoutId })
  expect(await orders.call(getCustomer, { id: customer.id }, shop.seller)).toEqual(customer)
})

test('an external id does not pass with an address that the seller named; the seller assigns it', async () => {
  await using orders = await startOrders()
  const shop = await orders.shop()
  const customer = await orders.call(createCustomer, ada, shop.seller)
  const linked = { external_customer_id: 'u-1', customer_email: ada.email }
  const { caller, checkoutId, order } = await confirm(orders, shop, { linked })
  expect(caller).toMatchObject({ customer_id: customer.id, checkout_id: checkoutId })
  expect(order.customer).toMatchObject({ id: customer.id, external_id: null })
  const readState = () => orders.call(getCustomerStateByExternalId, { external_id: 'u-1' }, shop.seller)
  await expect(readState()).rejects.toThrow(ResourceNotFound)
  await orders.call(updateCustomer, { id: customer.id, external_id: 'u-1' }, shop.seller)
  expect(await readState()).toMatchObject({ id: customer.id })
})

test.each(['customer_id', 'external_customer_id', 'customer_external_id'] as const)(
  'a customer named by %s gets a full session and is updated by the checkout',
  async (field) => {
    await using orders = await startOrders()
    const shop = await orders.shop()
    const customer = await orders.call(createCustomer, { email, external_id: 'u-1' }, shop.seller)
    const linked = { [field]: field === 'customer_id' ? customer.id : 'u-1' }
    const { caller } = await confirm(orders, shop, { linked })
    expect(caller).toMatchObject({ customer_id: customer.id, checkout_id: null })
    expect(await orders.call(getPortalCustomer, {}, caller)).toMatchObject({ name: 'Mallory', billing_address: { country: 'FR' } })
    expect(await orders.call(updatePortalCustomer, { name: 'Ada' }, caller)).toMatchObject({ name: 'Ada' })
  },
)

test('a first session is full until another buyer uses the address, whose session is bound', async () => {
  await using orders = await startOrders()
  const shop = await orders.shop()
  const first = await confirm(orders, shop)
  expect(first.caller).toMatchObject({ checkout_id: null })
  const second = await confirm(orders, shop, { details: { ...typed, customer_name: 'Ada' } })
  expect(second.caller).toMatchObject({ customer_id: first.caller.customer_id, checkout_id: second.checkoutId })
  expect((await orders.call(listCustomerOrders, {}, second.caller)).items).toMatchObject([{ id: second.order.id }])
  const [session] = await orders.rows('select checkout_id from customer_sessions where id = $1', [first.caller.token_id])
  expect(session).toEqual({ checkout_id: first.checkoutId })
  // Gateways would accept the session as it was for some seconds.
  const { customer_id, token_id: session_id } = first.caller
  expect(await orders.nextEvent(customerSessionEnded)).toMatchObject({ session_id, customer_id })
})

test('a checkout retried after a declined payment gives no more access than before', async () => {
  await using orders = await startOrders()
  const shop = await orders.shop()
  await orders.call(createCustomer, ada, shop.seller)
  const declined = await confirm(orders, shop, { details: { ...typed, confirmation_token_id: 'ctoken_declined_later' } })
  expect(declined.caller.checkout_id).toBe(declined.checkoutId)
  const client_secret = declined.clientSecret
  await eventually(async () =>
    expect(await orders.call(getCheckoutByClient, { client_secret }, anonymous)).toMatchObject({ status: 'open' }),
  )
  const again = await confirmAgain(orders, { ...declined, seller: shop.seller, details: typed })
  expect(again.caller.checkout_id).toBe(declined.checkoutId)
})

test('a bound session changes and cancels only the subscription of its checkout', async () => {
  await using orders = await startOrders()
  const mine = await subscribe(orders, { price: 0, email })
  await orders.rows(
    `update organizations set document = jsonb_set(document, '{subscription_settings,allow_multiple_subscriptions}', 'true') where id = $1 returning 1`,
    [mine.organizationId],
  )
  const { seller } = mine
  const [plan, better] = [await createPlan(orders, seller, { price: 500 }), await createPlan(orders, seller, { price: 900 })]
  const { order, caller } = await confirm(orders, { seller, product: plan })
  const id = order.subscription_id as string
  await eventually(async () => {
    expect(await orders.call(getCustomerSubscription, { id }, caller)).toMatchObject({ status: 'active' })
  })
  expect((await orders.call(listCustomerSubscriptions, {}, caller)).items).toMatchObject([{ id }])
  expect(await orders.call(updateCustomerSubscription, { id, product_id: better.id }, caller)).toMatchObject({ product_id: better.id })
  expect(await orders.call(cancelCustomerSubscription, { id }, caller)).toMatchObject({ cancel_at_period_end: true })
  const other = mine.subscription.id
  const outcomes = await Promise.allSettled([
    orders.call(getCustomerSubscription, { id: other }, caller),
    orders.call(updateCustomerSubscription, { id: other, product_id: better.id }, caller),
    orders.call(cancelCustomerSubscription, { id: other }, caller),
  ])
  for (const each of outcomes) expect(each).toMatchObject({ status: 'rejected', reason: expect.any(ResourceNotFound) })
})

test('an upgrade binds the session for any typed address unless the seller names the customer', async () => {
  await using orders = await startOrders()
  const free = await subscribe(orders, { price: 0, email })
  const victim = await orders.call(createCustomer, { email: 'grace@example.com' }, free.seller)
  const plan = await createPlan(orders, free.seller)
  const linked = { subscription_id: free.subscription.id }
  const details = { ...typed, customer_email: victim.email }
  const { caller, checkoutId, order } = await confirm(orders, { ...free, product: plan }, { linked, details })
  expect(caller).toMatchObject({ customer_id: free.subscription.customer_id, checkout_id: checkoutId })
  expect(order).toMatchObject({ customer_id: free.subscription.customer_id, billing_reason: 'subscription_update' })
  expect((await orders.call(listCustomerSubscriptions, {}, caller)).items).toMatchObject([{ id: free.subscription.id }])
  expect((await orders.call(listCustomerOrders, {}, caller)).items).toMatchObject([{ id: order.id }])
})

test('a bound session completes the billing details of its order and requests the invoice', async () => {
  await using orders = await startOrders()
  const shop = await orders.shop()
  const customer = await orders.call(createCustomer, ada, shop.seller)
  const { order, caller, checkoutId } = await confirm(orders, shop)
  await eventually(async () => expect(await orders.call(getCustomerOrder, { id: order.id }, caller)).toMatchObject({ status: 'paid' }))
  const details = { billing_name: 'M. Allory', billing_address: { country: 'FR', city: 'Paris', postal_code: '75001' } }
  expect(await orders.call(updateCustomerOrder, { id: order.id, ...details }, caller)).toMatchObject(details)
  await orders.call(generateCustomerOrderInvoice, { id: order.id }, caller)
  const source = await orders.nextEvent(orderInvoiceRequested)
  expect(source).toMatchObject({ checkout_id: checkoutId, customer_email: typed.customer_email, locale: null, customer_id: customer.id })
})

test('a caller of the previous release, without a checkout, is the whole customer', async () => {
  await using orders = await startOrders()
  const { organizationId, order } = await orders.paidOrder({ billed: true })
  const { checkout_id: _, ...before } = customerCaller({ organizationId, customerId: order.customer_id }) as Purchase['caller']
  expect(await orders.call(getCustomerOrder, { id: order.id }, before)).toMatchObject({ id: order.id })
  expect(await orders.call(getPortalCustomer, {}, before)).toMatchObject({ email: 'ada@example.com' })
})
