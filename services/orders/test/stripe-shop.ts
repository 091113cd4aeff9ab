import { createPaymentAccount, type PaymentAccount } from '@quittance/contracts/payment-accounts'
import { startFakeStripe, type FakeAccount, type FakeStripe } from '@quittance/testing/stripe/fake-stripe'
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
