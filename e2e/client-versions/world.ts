import { randomUUID } from 'node:crypto'
import { isJuneEventType, webhookEventTypes } from '@quittance/contracts/webhook-event-types'
import { startEndpointSink, type EndpointSink } from '@quittance/testing/endpoint-sink'
import { eventually } from '@quittance/testing/eventually'
import { callApi, type RunningSystem } from '@quittance/testing/system'
import { sellAndDecline } from '../pages/portal-customers.ts'

/** Objects that every version of the client reads and changes, created over HTTP, so that a version that fails on one still reaches the others. */
export interface World {
  baseUrl: string
  token: string
  /** Token of a person, a member of the organization. */
  personToken: string
  organization: { id: string; slug: string }
  sink: EndpointSink
  /** Signing secret of every endpoint created here. */
  secret: string
  customer: string
  externalId: string
  product: string
  plan: string
  benefit: string
  /** Benefit of license keys. */
  keys: string
  discount: string
  checkout: string
  order: string
  subscription: string
  licenseKey: string
  activation: string
  /** Text of the license key. */
  key: string
  endpoint: string
  /** A delivered webhook event. */
  event: string
  grant: string
  /** Token of a session of the customer. */
  session: string
  /** Withdraws the cancellation of the subscription. */
  resumeSubscription(): Promise<unknown>
  /** Creates an object of the kind that a version may change or delete. */
  fresh(kind: FreshKind): Promise<Record<string, string>>
}

type FreshKind =
  | 'activation'
  | 'benefit'
  | 'checkout'
  | 'client'
  | 'customer'
  | 'discount'
  | 'endpoint'
  | 'link'
  | 'method'
  | 'order'
  | 'organization-token'
  | 'owed'
  | 'subscription'

const address = { country: 'GB', line1: '12 St James’s Square', city: 'London', postal_code: 'SW1Y 4JH' }
const terms = { prefix: 'acme', activations: { limit: 50, enable_customer_admin: true }, limit_usage: 1000 }

const secret = 'a-secret-of-this-test'

// oxlint-disable-next-line typescript/no-explicit-any -- replies of the API under test
type Reply = any
type Create = (path: string, body: unknown) => Promise<Reply>

export async function createWorld(system: RunningSystem): Promise<World> {
  const { base_url: baseUrl } = system.readReadyFile()
  const { organization, organization_access_token: token, personal_access_token: personToken } = system.demo
  const sink = await startEndpointSink()
  const create: Create = async (path, body) => {
    const { status, body: reply } = await system.api('POST', path, body)
    if (status >= 300) throw new Error(`POST ${path}: ${status} ${JSON.stringify(reply)}`)
    return reply
  }
  const endpoint = await create('/v1/webhooks/endpoints', endpointAt(sink.url))
  const catalog = await createCatalog(create)
  const customer = await create('/v1/customers/', newCustomer())
  const buy = createBuyer(system, create)
  const order = await buy(catalog.product, customer.id)
  const { subscription_id: subscription } = await buy(catalog.plan, customer.id)
  const [licenseKey, grant, event] = await Promise.all([
    getFirst(system, `/v1/license-keys/?benefit_id=${catalog.keys}`),
    getFirst(system, `/v1/benefits/${catalog.benefit}/grants`),
    getFirst(system, `/v1/webhooks/deliveries?endpoint_id=${endpoint.id}`),
  ])
  await create(`/v1/orders/${order.id}/invoice`, null)
  await eventually(async () => {
    if ((await system.api('GET', `/v1/orders/${order.id}/invoice`)).status !== 200) throw new Error('not generated yet')
  })
  const { token: session } = await create('/v1/customer-sessions/', { customer_id: customer.id })
  const fresh = createFactories(system, { create, buy, catalog, customer: customer.id, key: licenseKey['key'], endpointUrl: sink.url })
  return {
    baseUrl,
    token,
    personToken,
    secret,
    organization,
    sink,
    session,
    subscription,
    ...catalog,
    customer: customer.id,
    externalId: customer.external_id,
    discount: (await fresh.discount())['id'] as string,
    checkout: order['checkout_id'],
    order: order.id,
    licenseKey: licenseKey['id'],
    key: licenseKey['key'],
    activation: (await fresh.activation())['id'] as string,
    endpoint: endpoint.id,
    event: event['webhook_event']['id'],
    grant: grant['id'],
    resumeSubscription: () => system.api('PATCH', `/v1/subscriptions/${subscription}`, { cancel_at_period_end: false }),
    fresh: (kind) => fresh[kind](),
  }
}

interface Factories {
  create: Create
  buy: ReturnType<typeof createBuyer>
  catalog: Catalog
  customer: string
  /** Text of a license key. */
  key: string
  endpointUrl: string
}

function createFactories(
  system: RunningSystem,
  { create, buy, catalog, customer, key, endpointUrl }: Factories,
): Record<FreshKind, () => Promise<Record<string, string>>> {
  const { organization } = system.demo
  const activation = { key, organization_id: organization.id, label: 'laptop' }
  return {
    activation: () => callAnonymously(system.readReadyFile().base_url, '/v1/customer-portal/license-keys/activate', activation),
    benefit: () => create('/v1/benefits/', { type: 'custom', description: 'Deleted', properties: { note: null } }),
    client: () => createAs(system, '/v1/oauth2/register', { client_name: 'A shop', redirect_uris: ['https://app.example/callback'] }),
    checkout: () => create('/v1/checkouts/', { products: [catalog.product], customer_id: customer }),
    customer: () => create('/v1/customers/', newCustomer()),
    discount: () => create('/v1/discounts/', buildDiscount(randomUUID())),
    endpoint: () => create('/v1/webhooks/endpoints', endpointAt(endpointUrl)),
    link: () => create('/v1/checkout-links/', { products: [catalog.product] }),
    method: () => storeMethod(system, { create, buy, plan: catalog.plan }),
    order: () => buy(catalog.product, customer),
    'organization-token': async () => {
      const body = { organization_id: organization.id, comment: 'A shop', scopes: ['orders:read'] }
      return (await createAs(system, '/v1/organization-access-tokens/', body))['organization_access_token']
    },
    owed: async () => {
      const { owed, token: session } = await sellAndDecline(system, { id: catalog.plan })
      return { id: owed.id, session }
    },
    subscription: async () => ({ id: (await buy(catalog.plan, (await create('/v1/customers/', newCustomer())).id)).subscription_id }),
  }
}

const newCustomer = () => ({ email: `${randomUUID()}@example.com`, name: 'Ada', external_id: randomUUID(), billing_address: address })
const endpointAt = (url: string) => ({ url, format: 'raw', secret, events: webhookEvents })

type Catalog = Record<'benefit' | 'keys' | 'product' | 'plan', string>

/** A product and a plan that both grant a benefit and license keys. */
async function createCatalog(create: Create): Promise<Catalog> {
  const keys = await create('/v1/benefits/', { type: 'license_keys', description: 'The app', properties: terms })
  const benefit = await create('/v1/benefits/', { type: 'custom', description: 'A call', properties: { note: 'Book it.' } })
  const createProduct = async (name: string, interval: string | null) => {
    // The buyer of the product chooses the amount, from a minimum that the seller did not set.
    const prices = [interval ? { amount_type: 'fixed', price_amount: 4200 } : { amount_type: 'custom', preset_amount: 4200 }]
    const { id } = await create('/v1/products/', { name, recurring_interval: interval, prices, metadata: { shelf: 3 } })
    await create(`/v1/products/${id}/benefits`, { benefits: [keys.id, benefit.id] })
    return id
  }
  return { benefit: benefit.id, keys: keys.id, product: await createProduct('Almanac', null), plan: await createProduct('Plan', 'month') }
}

/** Returns a function that buys a product for a customer and returns the paid order. */
function createBuyer(system: RunningSystem, create: Create) {
  const { base_url: baseUrl } = system.readReadyFile()
  // oxlint-disable-next-line typescript/no-explicit-any -- replies of the API under test
  return async (product: string, customer: string): Promise<any> => {
    const { id, client_secret } = await create('/v1/checkouts/', { products: [product], customer_id: customer, metadata: { cart: 1 } })
    const confirmation = { confirmation_token_id: 'ctoken_ok', customer_billing_address: address }
    await callAnonymously(baseUrl, `/v1/checkouts/client/${client_secret}/confirm`, confirmation)
    return eventually(async () => {
      const order = await getFirst(system, `/v1/orders/?checkout_id=${id}`)
      if (order['status'] !== 'paid') throw new Error('not paid yet')
      return order
    })
  }
}

interface Storing {
  create: Create
  buy: ReturnType<typeof createBuyer>
  plan: string
}

/** Returns a stored payment method that no subscription needs, with a session of its customer. */
async function storeMethod(system: RunningSystem, { create, buy, plan }: Storing): Promise<Record<'id' | 'session', string>> {
  const { id: owner } = await create('/v1/customers/', newCustomer())
  await system.api('DELETE', `/v1/subscriptions/${(await buy(plan, owner)).subscription_id}`)
  const { token: session } = await create('/v1/customer-sessions/', { customer_id: owner })
  const path = `${system.readReadyFile().base_url}/v1/customer-portal/customers/me/payment-methods`
  const { body } = await callApi(path, { method: 'GET', token: session })
  return { id: body.items[0].id, session }
}

/** Creates an object with the token of a person. */
async function createAs(system: RunningSystem, path: string, body: unknown): Promise<Reply> {
  const url = `${system.readReadyFile().base_url}${path}`
  const { status, body: reply } = await callApi(url, { method: 'POST', token: system.demo.personal_access_token, body })
  if (status >= 300) throw new Error(`POST ${path}: ${status} ${JSON.stringify(reply)}`)
  return reply
}

async function callAnonymously(baseUrl: string, path: string, body: unknown): Promise<Record<string, string>> {
  const { status, body: reply } = await callApi(`${baseUrl}${path}`, { method: 'POST', token: null, body })
  if (status >= 300) throw new Error(`POST ${path}: ${status} ${JSON.stringify(reply)}`)
  return reply
}

const buildDiscount = (name: string) => ({ name, type: 'fixed', amount: 500, currency: 'usd', duration: 'once' })

// oxlint-disable-next-line typescript/no-explicit-any -- replies of the API under test
async function getFirst(system: RunningSystem, path: string): Promise<any> {
  return eventually(async () => {
    const { body } = await system.api('GET', path)
    if (!body.items?.[0]) throw new Error(`nothing at ${path}`)
    return body.items[0]
  })
}

/** Every type but those that only this product has: clients cannot list endpoints that select these. */
const webhookEvents = webhookEventTypes.filter(isJuneEventType)
