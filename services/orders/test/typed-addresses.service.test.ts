import { randomUUID } from 'node:crypto'
import type { Caller, CustomerProof } from '@quittance/contracts/caller'
import { confirmCheckout, createCheckout, PaymentError } from '@quittance/contracts/checkouts'
import { generateCustomerOrderInvoice } from '@quittance/contracts/customer-portal'
import { addCustomerPaymentMethod } from '@quittance/contracts/customer-payment-methods'
import { createCustomerSession, verifyCustomerSession } from '@quittance/contracts/customer-sessions'
import { declareCancellation, listDeclarations } from '@quittance/contracts/declarations'
import { TooManyRequests } from '@quittance/contracts/errors'
import { NotPaidOrder, updateOrder } from '@quittance/contracts/orders'
import { createProduct } from '@quittance/contracts/products'
import { hashToken } from '@quittance/runtime/credential'
import { expect, test } from 'vitest'
import { startOrders, type OrdersUnderTest, type Shop } from './start-orders.ts'
import { buyByTransfer, startTransferShop } from './transfer-shop.ts'

const anonymous = { kind: 'anonymous' } as const
const network = '203.0.113.7'

/** Returns the caller of a token, from this network. */
async function verify(orders: OrdersUnderTest, token: string): Promise<Extract<Caller, { kind: 'customer' }>> {
  const { caller } = await orders.call(verifyCustomerSession, { hash: hashToken(token) }, anonymous)
  return { ...(caller as Extract<Caller, { kind: 'customer' }>), network }
}

/** Buys something free under an address, and returns the session of that checkout. */
async function typeAddress(orders: OrdersUnderTest, shop: Shop, email: string = `${randomUUID()}@example.com`) {
  const free = await orders.call(
    createProduct,
    { name: 'Sample', recurring_interval: null, prices: [{ amount_type: 'free' as const }] },
    shop.seller,
  )
  const { client_secret } = await orders.call(createCheckout, { products: [free.id] }, shop.seller)
  const confirmed = await orders.call(confirmCheckout, { client_secret, customer_email: email }, anonymous)
  return verify(orders, confirmed.customer_session_token)
}

const declaration = (shop: Shop, email: string) => ({ organization_id: shop.organizationId, name: 'Ada', email, reference: 'my contract' })

test('the session of a checkout proves no customer: its declarations are not verified, and name no customer', async () => {
  await using orders = await startOrders()
  const shop = await orders.shop()
  const email = `${randomUUID()}@example.com`
  const [first, second] = [await typeAddress(orders, shop, email), await typeAddress(orders, shop, email)]
  expect([first, second]).toMatchObject([
    { checkout_id: null, proof: null },
    { checkout_id: expect.any(String) as string, proof: null },
  ])
  for (const caller of [first, second]) await orders.call(declareCancellation, declaration(shop, email), caller)
  const { items } = await orders.call(listDeclarations, {}, shop.seller)
  expect(items).toMatchObject([
    { is_verified: false, customer_id: null },
    { is_verified: false, customer_id: null },
  ])
})

test('declarations are counted by network, except those of a proven customer with the own address', async () => {
  await using orders = await startOrders()
  const shop = await orders.shop()
  const email = `${randomUUID()}@example.com`
  const typed = await typeAddress(orders, shop, email)
  const { token } = await orders.call(createCustomerSession, { customer_id: typed.customer_id }, shop.seller)
  const proven = await verify(orders, token)
  expect(proven).toMatchObject({ checkout_id: null, proof: 'seller' satisfies CustomerProof })
  for (let count = 0; count < 20; count++)
    await orders.call(declareCancellation, declaration(shop, `${randomUUID()}@example.net`), count % 2 === 0 ? typed : proven)
  for (const caller of [typed, proven, { ...anonymous, network }])
    await expect(orders.call(declareCancellation, declaration(shop, 'stranger@example.net'), caller)).rejects.toThrow(TooManyRequests)
  await orders.call(declareCancellation, declaration(shop, email), proven)
  const { items } = await orders.call(listDeclarations, { limit: 1 }, shop.seller)
  expect(items).toMatchObject([{ email, is_verified: true, customer_id: typed.customer_id }])
})

test('cards are not tested with customers that checkouts created: setups are counted by network', async () => {
  await using orders = await startOrders()
  const shop = await orders.shop()
  const add = (caller: Caller, token: string) => orders.call(addCustomerPaymentMethod, { confirmation_token_id: token }, caller)
  for (let customer = 0; customer < 4; customer++) {
    const caller = await typeAddress(orders, shop)
    for (let count = 0; count < 5; count++) await expect(add(caller, 'ctoken_insufficient_funds')).rejects.toThrow(PaymentError)
  }
  const next = await typeAddress(orders, shop)
  await expect(add(next, 'ctoken_ok')).rejects.toThrow(TooManyRequests)
  const confirmation = { customer_email: 'ada@example.com', confirmation_token_id: 'ctoken_ok' }
  const { client_secret } = await orders.call(createCheckout, { products: [shop.product.id] }, shop.seller)
  const confirm = orders.call(confirmCheckout, { client_secret, ...confirmation }, { ...anonymous, network })
  await expect(confirm).rejects.toThrow(TooManyRequests)
  // The portal of a seller has one address for all its customers.
  const { token } = await orders.call(createCustomerSession, { customer_id: next.customer_id }, shop.seller)
  await add(await verify(orders, token), 'ctoken_ok')
})

test('a buyer whose address was only typed gets the invoice of a transfer after the payment, not before', async () => {
  await using shop = await startTransferShop()
  const { orders } = shop
  const { seller, organizationId } = shop.shop
  const { orderId: id } = await buyByTransfer(shop)
  const billing_address = { line1: '1 Row', city: 'London', postal_code: 'E1 6AN', country: 'GB' as const }
  await orders.call(updateOrder, { id, billing_name: 'Ada Lovelace', billing_address }, seller)
  const [order] = await orders.rows<{ customer_id: string; checkout_id: string }>('select customer_id, checkout_id from orders')
  const session = { kind: 'customer', token_id: 't', organization_id: organizationId, customer_id: order?.customer_id ?? '' } as const
  for (const caller of [session, { ...session, checkout_id: order?.checkout_id ?? '' }])
    await expect(orders.call(generateCustomerOrderInvoice, { id }, caller)).rejects.toThrow(NotPaidOrder)
  expect(await orders.rows('select invoice_requested_at from orders')).toEqual([{ invoice_requested_at: null }])
  await orders.call(generateCustomerOrderInvoice, { id }, { ...session, proof: 'code' })
})
