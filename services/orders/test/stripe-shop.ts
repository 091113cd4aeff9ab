import { randomUUID } from 'node:crypto'
import { confirmCheckout, createCheckout } from '@quittance/contracts/checkouts'
import { listOrders, type Order } from '@quittance/contracts/orders'
import { createPaymentAccount, type PaymentAccount } from '@quittance/contracts/payment-accounts'
import { receiveProviderEvent } from '@quittance/contracts/provider-events'
import { eventually } from '@quittance/testing/eventually'
import { startFakeStripe, type FakeAccount, type FakeStripe } from '@quittance/testing/stripe/fake-stripe'
import { signPayload } from '@quittance/testing/stripe/fake-webhooks'
import { expect, vi } from 'vitest'
import { createStripeProvider } from '../src/providers/stripe/stripe-provider.ts'
import type { ContractWorld } from './stripe-contract-cases.ts'
import { startOrders, type OrdersUnderTest, type Shop } from './start-orders.ts'

/** Orders with the fake Stripe, and a shop whose default account is there. */
export interface StripeShop extends AsyncDisposable {
  orders: OrdersUnderTest
  fake: FakeStripe
  shop: Shop
  stripe: FakeAccount
  account: PaymentAccount
}

export const secretsKey = Buffer.alloc(32, 7).toString('base64')

/** Starts the fake first: the service reads its address when it starts. */
export async function startStripeShop(): Promise<StripeShop> {
  const fake = await sharedFake()
  const orders = await startOrders()
  const shop = await orders.shop()
  const stripe = fake.createAccount()
  const account = await orders.call(createPaymentAccount, buildAccountRequest(stripe), shop.seller)
  return { orders, fake, shop, stripe, account, [Symbol.asyncDispose]: () => orders[Symbol.asyncDispose]() }
}

export function buildAccountRequest({ apiKey, mode, webhookSecret }: FakeAccount) {
  return { provider: 'stripe', mode, secret_key: apiKey, webhook_secret: webhookSecret } as const
}

interface FakeOfFile {
  file: string | undefined
  started: Promise<FakeStripe>
}

let current: FakeOfFile | null = null

/**
 * One fake per test file, so that a fault of one file affects no other. Tests of a file have separate accounts. A service that starts
 * afterwards uses it.
 */
export async function sharedFake(): Promise<FakeStripe> {
  const file = expect.getState().testPath
  const previous = current
  const own = previous && previous.file === file ? previous : { file, started: startFakeStripe() }
  current = own
  if (previous && previous !== own) await (await previous.started)[Symbol.asyncDispose]()
  const fake = await own.started
  vi.stubEnv('STRIPE_API_URL', fake.url)
  vi.stubEnv('PAYMENT_PROVIDERS', 'stripe,bank_transfer')
  return fake
}

const billing = {
  customer_name: 'Ada Lovelace',
  customer_billing_address: { line1: '12 St James’s Square', city: 'London', postal_code: 'SW1Y 4JH', country: 'GB' as const },
}

/** Sells the product, and returns the order and the object of its payment. */
export async function sell({ orders, fake, stripe, shop }: StripeShop): Promise<{ order: Order; intent: string }> {
  const { client_secret, id } = await orders.call(createCheckout, { products: [shop.product.id] }, shop.seller)
  const confirmation_token_id = fake.buyer.createToken(stripe.id)
  const request = { client_secret, confirmation_token_id, customer_email: `${randomUUID()}@example.com`, ...billing }
  await orders.call(confirmCheckout, request, { kind: 'anonymous' })
  const order = await eventually(async () => {
    const { items } = await orders.call(listOrders, { checkout_id: id }, shop.seller)
    expect(items).toMatchObject([{ status: 'paid' }])
    return items[0] as Order
  })
  const [payment] = await orders.rows<{ intent: string }>('select provider_payment as intent from payments where order_id = $1', [order.id])
  return { order, intent: payment?.intent ?? '' }
}

/** Lets the catch-up run as if its interval had passed. */
export async function catchUp({ orders, account }: StripeShop): Promise<void> {
  await orders.rows(`update payment_accounts set settings = settings - 'caught_up_at' where id = $1`, [account.id])
  await orders.rows(`select pg_notify('wake', 'catch-up-provider-events')`)
}

/** Calls the account beside the service, as another installation unless its name is given. */
export function toWorld({ fake, stripe }: StripeShop, installation = 'test'): ContractWorld {
  const account = { account: stripe.id, mode: 'test', apiKey: stripe.apiKey, webhookSecrets: [] } as const
  const provider = createStripeProvider(account, { apiUrl: fake.url, installation })
  return { provider, withoutKey: provider, createToken: async (card) => fake.buyer.createToken(stripe.id, card) }
}

/** Delivers the latest event of a type, signed by the provider. */
export async function deliverEvent({ orders, fake, stripe, account }: StripeShop, type: string): Promise<void> {
  const payload = JSON.stringify(
    fake.state(stripe.id).events.findLast((event) => event.type === type),
    null,
    2,
  )
  const signature = signPayload(payload, { secrets: [stripe.webhookSecret], timestamp: Math.floor(Date.now() / 1000) })
  const headers = { 'stripe-signature': signature }
  await orders.call(receiveProviderEvent, { id: account.id, headers, body: Buffer.from(payload).toString('base64') }, { kind: 'anonymous' })
}

/** Returns the number of calls without those of the job that lists missed events, whose first run is soon after the start. */
export function countCalls({ fake }: StripeShop): number {
  return fake.calls.filter(({ route }) => route !== 'GET /v1/events').length
}
