import { eventually } from '@quittance/testing/eventually'
import { startFakeStripe } from '@quittance/testing/stripe/fake-stripe'
import { startSystem } from '@quittance/testing/system'
import { expect, test } from 'vitest'

test('a sale through Stripe is paid by the event that follows 3-D Secure, and refunded [payments 37]', async () => {
  await using fake = await startFakeStripe()
  await using system = await startSystem({ env: { PAYMENT_PROVIDERS: 'stripe', STRIPE_API_URL: fake.url } })
  const { base_url: baseUrl } = system.readReadyFile()
  const { organization, personal_access_token: personal, product_id: product } = system.demo
  const stripe = fake.createAccount()

  const connected = await fetch(`${baseUrl}/v1/payment-accounts/`, {
    method: 'POST',
    headers: { authorization: `Bearer ${personal}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      provider: 'stripe',
      mode: 'test',
      organization_id: organization.id,
      secret_key: stripe.apiKey,
      webhook_secret: stripe.webhookSecret,
    }),
  })
  const { events_path: path } = (await connected.json()) as { events_path: string }
  fake.webhooks.addEndpoint({ account: stripe.id, url: `${baseUrl}${path}`, secrets: [stripe.webhookSecret] })

  const checkout = await system.api('POST', '/v1/checkouts/', { products: [product] })
  const confirmed = await system.api('POST', `/v1/checkouts/client/${checkout.body.client_secret}/confirm`, {
    customer_email: 'ada@example.com',
    customer_name: 'Ada Lovelace',
    confirmation_token_id: fake.buyer.createToken(stripe.id, 'pm_card_authenticationRequiredOnSetup'),
  })
  expect([confirmed.status, confirmed.body.payment_processor_metadata.intent_status]).toEqual([200, 'requires_action'])
  const [intent] = [...fake.state(stripe.id).paymentIntents.values()]
  expect(fake.moneyMoved(stripe.id)).toEqual({})

  fake.buyer.completeAction(stripe.id, intent?.id ?? '')
  const order = await eventually(async () => {
    const { items } = (await system.api('GET', '/v1/orders/?limit=100')).body as {
      items: { id: string; checkout_id: string; status: string; net_amount: number }[]
    }
    const found = items.find(({ checkout_id }) => checkout_id === checkout.body.id)
    expect(found?.status).toBe('paid')
    return found
  })
  await system.api('POST', '/v1/refunds/', { order_id: order?.id, amount: order?.net_amount, reason: 'customer_request' })
  await eventually(() => expect(Object.values(fake.moneyMoved(stripe.id))).toEqual([0]))
  expect(fake.keysNotOurs()).toEqual([])
})
