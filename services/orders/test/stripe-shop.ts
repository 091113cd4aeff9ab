import { createPaymentAccount, type PaymentAccount } from '@quittance/contracts/payment-accounts'
import { receiveProviderEvent } from '@quittance/contracts/provider-events'
import { startFakeStripe, type FakeAccount, type FakeStripe } from '@quittance/testing/stripe/fake-stripe'
import { signPayload } from '@quittance/testing/stripe/fake-webhooks'
import { vi } from 'vitest'
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

/** Starts the fake first: the service reads its address once. */
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

let started: Promise<FakeStripe> | undefined

/** One fake per test file: settings are read once per process. Tests have separate accounts. */
export function sharedFake(): Promise<FakeStripe> {
  started ??= startFakeStripe().then((fake) => {
    vi.stubEnv('STRIPE_API_URL', fake.url)
    vi.stubEnv('PAYMENT_PROVIDERS', 'sandbox,stripe,bank_transfer')
    return fake
  })
  return started
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
