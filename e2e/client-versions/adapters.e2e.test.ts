import { createServer, type RequestListener } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { eventually } from '@quittance/testing/eventually'
import { scale } from '@quittance/testing/scale'
import { useSharedSystem } from '@quittance/testing/use-shared-system'
import { beforeAll, describe, expect, test } from 'vitest'
import { packagesFolder } from './clients.ts'
import { createWorld, type World } from './world.ts'

/** A web application that uses an adapter: an HTTP request in, a response out. */
type Application = (path: string, init?: RequestInit) => Promise<Response>

/** Calls the adapters make in an application: where it sends its buyers, its customers, and what it does with webhooks. */
interface Settings {
  accessToken: string
  successUrl: string
  customerId: string
  secret: string
  onPayload(payload: { type: string }): Promise<void>
}

let world: World
let load: (name: string) => Promise<Record<string, (options: object) => never>>

/** Adapters have no setting for the address of the server, so the list of servers in their copy of the client is changed. */
async function loadAdapter(name: string, folder: string): Promise<Record<string, (options: object) => never>> {
  const entry = createRequire(join(folder, 'package.json')).resolve(name)
  const servers = createRequire(entry).resolve('@polar-sh/sdk/lib/config.js')
  // The adapter may load the client in either module format.
  const formats = [servers.replace('/dist/commonjs/', '/dist/esm/'), servers.replace('/dist/esm/', '/dist/commonjs/')]
  for (const file of formats)
    ((await import(pathToFileURL(file).href)) as { ServerList: Record<string, string> }).ServerList['sandbox'] = world.baseUrl
  return import(pathToFileURL(entry).href)
}

const applications: Record<string, (settings: Settings) => Promise<Application>> = {
  '@polar-sh/hono 0.3.11': (settings) => createHonoApplication('hono-0.3.11', settings),
  '@polar-sh/hono 0.5.3': (settings) => createHonoApplication('@polar-sh/hono', settings),
  '@polar-sh/nextjs 0.4.1': (settings) => createNextApplication('nextjs-0.4.1', settings),
  '@polar-sh/nextjs 0.9.6': (settings) => createNextApplication('@polar-sh/nextjs', settings),
  async '@polar-sh/express 0.3.0'({ accessToken, successUrl, customerId, secret, onPayload }) {
    const [{ Checkout, CustomerPortal, Webhooks }, { default: express }] = await Promise.all([load('@polar-sh/express'), load('express')])
    const app = (express as never as Express)()
    // As in the documentation of the adapter: the body is parsed, and the adapter serializes it again to verify the signature.
    app.use((express as never as Express).json())
    app.get('/checkout', Checkout?.({ accessToken, successUrl, server: 'sandbox' }))
    app.get('/portal', CustomerPortal?.({ accessToken, getCustomerId: async () => customerId, server: 'sandbox' }))
    app.post('/webhooks', Webhooks?.({ webhookSecret: secret, onPayload }))
    return serveOnce(app)
  },
}

interface HonoApp {
  get(path: string, handler: unknown): void
  post(path: string, handler: unknown): void
  request(path: string, init?: RequestInit): Promise<Response>
}
interface Express {
  (): RequestListener & {
    use(handler: unknown): void
    get(path: string, handler: unknown): void
    post(path: string, handler: unknown): void
  }
  json(): unknown
}

async function createHonoApplication(name: string, settings: Settings): Promise<Application> {
  const { accessToken, successUrl, customerId, secret, onPayload } = settings
  const [{ Checkout, CustomerPortal, Webhooks }, hono] = await Promise.all([load(name), load('hono')])
  const app = new (hono['Hono'] as never as new () => HonoApp)()
  app.get('/checkout', Checkout?.({ accessToken, successUrl, server: 'sandbox' }))
  app.get('/portal', CustomerPortal?.({ accessToken, getCustomerId: () => customerId, server: 'sandbox' }))
  app.post('/webhooks', Webhooks?.({ webhookSecret: secret, onPayload }))
  return async (path, init) => app.request(path, init)
}

async function createNextApplication(name: string, settings: Settings): Promise<Application> {
  const { accessToken, successUrl, customerId, secret, onPayload } = settings
  const [{ Checkout, CustomerPortal, Webhooks }, next] = await Promise.all([load(name), load('next/server')])
  const routes: Record<string, ((request: Request) => Promise<Response>) | undefined> = {
    '/checkout': Checkout?.({ accessToken, successUrl, server: 'sandbox' }),
    '/portal': CustomerPortal?.({ accessToken, getCustomerId: async () => customerId, server: 'sandbox' }),
    '/webhooks': Webhooks?.({ webhookSecret: secret, onPayload }),
  }
  const NextRequest = next['NextRequest'] as never as new (url: string, init?: RequestInit) => Request
  return async (path, init) => {
    const url = new URL(path, 'http://shop.example.com')
    const response = await routes[url.pathname]?.(new NextRequest(url.href, init))
    if (!response) throw new Error(`No route for ${path}`)
    return response
  }
}

/** Serves each request on a free loopback port. */
function serveOnce(listener: RequestListener): Application {
  return async (path, init) => {
    const server = createServer(listener)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    try {
      return await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`, { redirect: 'manual', ...init })
    } finally {
      server.close()
    }
  }
}

describe.runIf(scale(false, true))('an application with the unmodified adapter', () => {
  beforeAll(async () => {
    const folder = await packagesFolder('adapters')
    world = await createWorld(await useSharedSystem())
    load = (name) => (/polar|^(nextjs|hono)-/.test(name) ? loadAdapter(name, folder) : importFrom(folder, name))
  }, 600_000)

  test.each(Object.entries(applications))('%s redirects buyers to a checkout and customers to their portal', async (_, create) => {
    const application = await create(buildSettings([]))
    const checkout = await application(`/checkout?products=${world.product}`)
    expect([302, 303, 307]).toContain(checkout.status)
    expect(checkout.headers.get('location')).toContain(`${world.baseUrl}/checkout/qt_co_`)
    const portal = await application('/portal')
    expect([302, 303, 307]).toContain(portal.status)
    expect(portal.headers.get('location')).toContain('customer_session_token=')
  })

  test.each(Object.entries(applications))('%s verifies webhooks of every type, and rejects a changed one', async (_, create) => {
    const received: string[] = []
    const application = await create(buildSettings(received))
    await eventually(() => expect(new Set(getReceivedTypes()).size).toBeGreaterThan(5))
    const sent = world.sink.received
    for (const { body, headers } of sent) {
      const response = await application('/webhooks', { method: 'POST', body, headers: selectHeaders(headers) })
      expect(`${JSON.parse(body).type} ${response.status}`).toBe(`${JSON.parse(body).type} 200`)
    }
    expect(received).toEqual(sent.map(({ body }) => JSON.parse(body).type))
    const [{ body, headers }] = sent as [(typeof sent)[number]]
    const changed = await application('/webhooks', {
      method: 'POST',
      body: body.replace('"type"', '"kind"'),
      headers: selectHeaders(headers),
    })
    expect(changed.status).toBeGreaterThanOrEqual(400)
  })
})

const importFrom = (folder: string, name: string) => import(pathToFileURL(createRequire(join(folder, 'package.json')).resolve(name)).href)

const getReceivedTypes = () => world.sink.received.map(({ body }) => JSON.parse(body).type as string)

const selectHeaders = (headers: object) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('webhook-') || name === 'content-type')) as Record<
    string,
    string
  >

function buildSettings(received: string[]): Settings {
  const onPayload = async ({ type }: { type: string }) => void received.push(type)
  return {
    accessToken: world.token,
    successUrl: 'https://shop.example.com/thanks',
    customerId: world.customer,
    secret: world.secret,
    onPayload,
  }
}
