import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { serveBrowser, type BrowserSide } from './browser-side.ts'
import type { createFaults } from './fake-faults.ts'
import { expandObject, loseReply, sendLater, sendReply, toFaultReply, type FakeCall } from './fake-replies.ts'
import { routes } from './fake-routes.ts'
import { decodeForm, readList } from './form-body.ts'
import { useKey } from './idempotency-keys.ts'
import { assertKnownParameters } from './known-parameters.ts'
import { StripeRejection, type StripeAccountState, type StripeReply, type StripeWorld } from './stripe-state.ts'

interface ServerOptions {
  world: StripeWorld
  findAccount(apiKey: string): StripeAccountState | null
  faults: ReturnType<typeof createFaults>
  calls: FakeCall[]
  browser: BrowserSide
}

interface Work {
  call: FakeCall
  account: StripeAccountState
  id: string
  path: string
  query: URLSearchParams
  method: string
}

/** Starts the HTTP server of the fake. */
export async function startFakeServer(options: ServerOptions) {
  const server = createServer((request, response) => {
    handle(options, request, response).catch((error: unknown) => response.destroy(error as Error))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function handle(options: ServerOptions, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const body = Buffer.concat(chunks).toString()
  if (serveBrowser(options.browser, request, { response, body })) return
  const { pathname: path, searchParams: query } = new URL(request.url ?? '', 'http://fake')
  const method = request.method ?? ''
  const { route, id } = findRoute(method, path)
  const account = options.findAccount(request.headers.authorization?.replace(/^Bearer /, '') ?? '')
  const key = (request.headers['idempotency-key'] as string | undefined) ?? null
  const call: FakeCall = {
    account: account?.id ?? null,
    route: route ?? `${method} ${path}`,
    path,
    key,
    body,
    status: null,
    at: options.world.now(),
  }
  options.calls.push(call)
  try {
    if (!account) throw new StripeRejection(401, { type: 'invalid_request_error', message: 'Invalid API Key provided: ***' })
    if (!route) throw new StripeRejection(404, { type: 'invalid_request_error', message: `Unrecognized request URL (${method}: ${path}).` })
    await execute(options, { call, account, id, path, query, method }, response)
  } catch (error) {
    if (!(error instanceof StripeRejection)) throw error
    sendReply(options.world, { response, call }, { status: error.status, body: { error: error.body } })
  }
}

function findRoute(method: string, path: string): { route: string | null; id: string } {
  for (const route of Object.keys(routes)) {
    const [routeMethod, template = ''] = route.split(' ')
    const match = routeMethod === method && new RegExp(`^${template.replace(':id', '([^/]+)')}$`).exec(path)
    if (match) return { route, id: decodeURIComponent(match[1] ?? '') }
  }
  return { route: null, id: '' }
}

async function execute(options: ServerOptions, work: Work, response: ServerResponse): Promise<void> {
  const { world, faults } = options
  const { call, account, method, path } = work
  const resource = path.split('/')[2] ?? ''
  if (account.lacking.has(resource)) {
    const message = `The provided key 'rk_***' does not have the required permissions. Having the 'rak_${resource}_read' permission would help.`
    throw new StripeRejection(403, { type: 'invalid_request_error', message })
  }
  const use = method === 'POST' && call.key ? useKey(account, { key: call.key, method, path, body: call.body }, world.now()) : null
  if (use && 'replay' in use) {
    return sendLater(
      world,
      { response, call },
      { reply: { ...structuredClone(use.replay), isReplay: true }, after: await faults.take(call, 'after') },
    )
  }
  const before = await faults.take(call, 'before')
  if (before?.kind === 'delay') await delay(before.ms)
  else if (before) {
    const reply = toFaultReply(before)
    use?.store(reply && before.kind === 'server-error' && before.isKept ? reply : null)
    return reply ? sendReply(world, { response, call }, reply) : loseReply(before, response)
  }
  const reply = run(options, work)
  use?.store(reply.isStored ? { status: reply.status, body: reply.body } : null)
  const after = await faults.take(call, 'after')
  if (after?.kind === 'server-error' && after.isKept) use?.store(toFaultReply(after))
  return sendLater(world, { response, call }, { reply: { status: reply.status, body: structuredClone(reply.body) }, after })
}

/** Executes the route; an error becomes a reply, which is stored if the execution had begun. */
function run({ world }: ServerOptions, { call, account, id, path, query }: Work): StripeReply & { isStored: boolean } {
  try {
    const params = decodeForm(call.body || query.toString())
    assertKnownParameters(call.route, params)
    const object = routes[call.route]?.([world, account], { id, params, query, path }) ?? {}
    return { status: 200, body: expandObject(account, structuredClone(object), readList(params['expand'])), isStored: true }
  } catch (error) {
    if (!(error instanceof StripeRejection)) throw error
    return { status: error.status, body: { error: structuredClone(error.body) }, isStored: error.isStored }
  }
}
