import { afterAll, beforeAll, describe, test } from 'vitest'
import { createStripeClient } from '../src/providers/stripe/stripe-client.ts'
import { createStripeProvider } from '../src/providers/stripe/stripe-provider.ts'
import { startStripeWorld } from './start-stripe-world.ts'
import { paymentCases, type ContractWorld } from './stripe-contract-cases.ts'
import { laterCases } from './stripe-contract-later-cases.ts'

const cases = [...paymentCases, ...laterCases]

describe('the fake Stripe', () => {
  let world: ContractWorld
  let stop: () => PromiseLike<void>

  beforeAll(async () => {
    const started = await startStripeWorld()
    world = started
    stop = () => started[Symbol.asyncDispose]()
  })
  afterAll(() => stop())

  test.each(cases)('%s', async (_, run) => run(world))
})

const apiUrl = 'https://api.stripe.com'
const testKey = process.env['STRIPE_TEST_KEY']
if (!testKey) {
  process.stderr.write(
    `\n  !!! STRIPE_TEST_KEY is not set: ${cases.length} contract cases did NOT run against the test mode of Stripe, only against the fake.\n\n`,
  )
}

/** Runs against Stripe itself. The key needs the permissions of docs/stripe.md, and to write test helpers. */
describe.runIf(testKey)('the test mode of Stripe', () => {
  let world: ContractWorld

  beforeAll(async () => {
    const apiKey = testKey ?? ''
    const settings = { apiUrl, installation: 'contract-cases' }
    const stripe = createStripeClient({ apiKey }, settings)
    const { id } = await stripe.accounts.retrieveCurrent()
    const account = { account: id, mode: 'test', webhookSecrets: [] } as const
    world = {
      provider: createStripeProvider({ ...account, apiKey }, settings),
      withoutKey: createStripeProvider({ ...account, apiKey: 'rk_test_invalid' }, settings),
      createToken: async (card) => (await stripe.testHelpers.confirmationTokens.create({ payment_method: card })).id,
    }
  })

  test.each(cases)('%s', async (_, run) => run(world))
})
