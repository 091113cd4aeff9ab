import { startFakeStripe, type FakeStripe } from '@quittance/testing/stripe/fake-stripe'
import { createStripeProvider } from '../src/providers/stripe/stripe-provider.ts'
import type { ContractWorld } from './stripe-contract-cases.ts'

/** The fake Stripe with one account, and its adapter. */
export interface StripeWorld extends ContractWorld, AsyncDisposable {
  fake: FakeStripe
  accountId: string
  apiKey: string
}

export async function startStripeWorld(): Promise<StripeWorld> {
  const fake = await startFakeStripe()
  const { id: accountId, apiKey } = fake.createAccount()
  const settings = { apiUrl: fake.url, installation: 'test' }
  const account = { account: accountId, mode: 'test', webhookSecrets: [] } as const
  return {
    fake,
    accountId,
    apiKey,
    provider: createStripeProvider({ ...account, apiKey }, settings),
    withoutKey: createStripeProvider({ ...account, apiKey: 'rk_test_invalid' }, settings),
    createToken: async (card) => fake.buyer.createToken(accountId, card),
    [Symbol.asyncDispose]: () => fake[Symbol.asyncDispose](),
  }
}
