import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { eventually } from '@quittance/testing/eventually'
import { scale } from '@quittance/testing/scale'
import { callApi } from '@quittance/testing/system'
import { useSharedSystem } from '@quittance/testing/use-shared-system'
import { beforeAll, describe, expect, test } from 'vitest'
import { packagesFolder } from './clients.ts'
import { createWorld, type World } from './world.ts'

const folders = { '1.0.4': 'better-auth-2025', '1.8.4': 'better-auth' } as const

/** An application with accounts: sends a request of one browser, with its cookies. */
interface Application {
  send(method: string, path: string, body?: unknown): Promise<Response>
  /** Delivers a webhook to it and returns the status. */
  deliver(body: string, headers: object): Promise<number>
  /** Types of the events that its handler received. */
  received: string[]
}

// oxlint-disable-next-line typescript/no-explicit-any -- two versions of three packages with different types
type Packages = Record<string, any>

const origin = 'http://shop.example.com'
const password = 'correct horse battery staple'
let world: World

async function loadPackages(folder: string): Promise<Packages> {
  const resolve = createRequire(join(folder, 'package.json')).resolve
  const loaded: Packages = {}
  // One after the other: the adapter requires modules of the library that are being imported.
  for (const name of ['@polar-sh/sdk', 'better-auth', 'better-auth/adapters/memory', '@polar-sh/better-auth'])
    Object.assign(loaded, await import(pathToFileURL(resolve(name)).href))
  return loaded
}

/** As in the documentation of the adapter, with the address of the server as the only change. */
function createApplication({ Polar, betterAuth, memoryAdapter, polar, checkout, portal, webhooks }: Packages): Application {
  const received: string[] = []
  const client = new Polar({ accessToken: world.token, serverURL: world.baseUrl })
  const use = [
    checkout({ products: [{ productId: world.product, slug: 'almanac' }], successUrl: '/thanks', authenticatedUsersOnly: true }),
    portal(),
    webhooks({ secret: world.secret, onPayload: async ({ type }: { type: string }) => void received.push(type) }),
  ]
  const auth = betterAuth({
    baseURL: origin,
    secret: 'a-secret-of-this-application-only-0123456789',
    database: memoryAdapter({ user: [], session: [], account: [], verification: [] }),
    emailAndPassword: { enabled: true },
    plugins: [polar({ client, createCustomerOnSignUp: true, use })],
  })
  let cookies = ''
  return {
    received,
    async deliver(body, sent) {
      const headers = Object.entries(sent).filter(([name]) => name.startsWith('webhook-') || name === 'content-type') as [string, string][]
      return (await auth.handler(new Request(`${origin}/api/auth/polar/webhooks`, { method: 'POST', headers, body }))).status
    },
    async send(method, path, body) {
      const headers = { 'content-type': 'application/json', origin, cookie: cookies }
      const request = new Request(`${origin}/api/auth${path}`, {
        method,
        headers,
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      const response: Response = await auth.handler(request)
      const set = response.headers.getSetCookie().map((cookie) => cookie.split(';')[0])
      if (set.length > 0) cookies = set.join('; ')
      return response
    },
  }
}

async function signUp(application: Application): Promise<{ id: string; email: string }> {
  const email = `${crypto.randomUUID()}@example.com`
  const response = await application.send('POST', '/sign-up/email', { email, password, name: 'Ada' })
  expect(response.status).toBe(200)
  return { id: (await readJson(response)).user.id, email }
}

// oxlint-disable-next-line typescript/no-explicit-any -- replies of the adapter under test
const readJson = (response: Response): Promise<any> => response.json()

const readCustomer = (id: string) =>
  callApi(`${world.baseUrl}/v1/customers/external/${id}`, { method: 'GET', token: world.token }).then(({ body }) => body)

describe.runIf(scale(false, true)).each(Object.entries(folders))(
  'an application with the unmodified @polar-sh/better-auth %s',
  (_, name) => {
    let packages: Packages

    beforeAll(async () => {
      packages = await loadPackages(await packagesFolder(name))
      world ??= await createWorld(await useSharedSystem())
    }, 600_000)

    test('creates a customer when a person signs up', async () => {
      const user = await signUp(createApplication(packages))
      expect(await readCustomer(user.id)).toMatchObject({ external_id: user.id, email: user.email, name: 'Ada' })
    })

    test('sends the person to a checkout of that customer, and to the portal', async () => {
      const application = createApplication(packages)
      const user = await signUp(application)
      const { url } = await readJson(await application.send('POST', '/checkout', { slug: 'almanac' }))
      expect(url).toContain(`${world.baseUrl}/checkout/qt_co_`)
      const secret = new URL(url).pathname.split('/').at(-1)
      const checkout = await callApi(`${world.baseUrl}/v1/checkouts/client/${secret}`, { method: 'GET', token: null })
      expect(checkout.body).toMatchObject({ customer_email: user.email, product_id: world.product })
      const portal = await readJson(await application.send('GET', '/customer/portal'))
      expect(portal.url).toContain('customer_session_token=')
      const state = await readJson(await application.send('GET', '/customer/state'))
      expect(state).toMatchObject({ externalId: user.id, activeSubscriptions: [] })
    })

    test('verifies webhooks of every type, and rejects a changed one', async () => {
      const application = createApplication(packages)
      await eventually(() => expect(new Set(world.sink.received.map(({ body }) => JSON.parse(body).type)).size).toBeGreaterThan(5))
      const sent = [...world.sink.received]
      for (const { body, headers } of sent) expect(await application.deliver(body, headers)).toBe(200)
      expect(application.received).toEqual(sent.map(({ body }) => JSON.parse(body).type))
      const [{ body, headers }] = sent as [(typeof sent)[number]]
      expect(await application.deliver(body.replace('"type"', '"kind"'), headers)).toBeGreaterThanOrEqual(400)
    })
  },
)
