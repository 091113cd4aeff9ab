import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { ServiceName } from '@quittance/contracts/services'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { apiClient } from '../src/api-client.ts'
import { downloadInvoice } from '../src/demo/invoice-document.ts'
import { startWebhookReceiver } from '../src/demo/webhook-receiver.ts'
import { readReleases } from '../src/releases/release-store.ts'
import { startInstance, type Running } from '../src/supervisor/instance.ts'
import { parseStartOptions } from '../src/supervisor/start-options.ts'
import { hasCommit, exportSource, type ReleaseSource } from './release-source.ts'

const root = join(import.meta.dirname, '../..')
const release = readReleases(join(root, 'packages/contracts')).at(-1)
if (!release) throw new Error('No release is stored in packages/contracts/releases')
const isHere = hasCommit(release.commit)
// oxlint-disable-next-line no-console -- a skipped proof must be visible
if (!isHere) console.warn(`NOT PROVEN: this clone lacks ${release.commit} (${release.version}); fetch the whole history and run again`)

let source: ReleaseSource
beforeAll(() => {
  if (isHere) source = exportSource(release.commit)
})
afterAll(() => source?.remove())

/**
 * Services of that release create the stream themselves. Services of today may then request a consumer before the provisioner replies, and
 * request it again. A service of that release ends if its connection is interrupted while it starts, as on a busy machine, and is started
 * again.
 */
function findUnexpected(messages: readonly string[]): string[] {
  const interrupted = messages.flatMap((line) => /^(\w+) error service\.not-started \(DISCONNECT\)$/.exec(line)?.[1] ?? [])
  const expected = [
    /bus\.unsigned-accepted|consumer\.reset-failed \(503\)|service\.not-started \(DISCONNECT\)/,
    ...interrupted.map((name) => new RegExp(`^${name} ended with code 1; starting it again`)),
  ]
  return messages.filter((line) => !expected.some((pattern) => pattern.test(line)))
}

/** Starts a system in which some services are those of the release; the demo data are created through them too. */
async function withSystem(areOfRelease: (service: ServiceName) => boolean, work: (running: Running) => Promise<void>): Promise<void> {
  // Settings of this test run for services under test are not this system's.
  const { BASE_URL: _, ...environment } = process.env
  // That release signs nothing.
  const given = { ...environment, BUS_AUTHENTICATION: 'optional' }
  const messages: string[] = []
  /** Services that the release does not have are those of today. */
  const isReleased = (service: ServiceName) => areOfRelease(service) && existsSync(join(source.folder, 'services', service))
  const instance = startInstance({
    ...parseStartOptions(['--ephemeral', '--port', '0', '--seed', 'demo', '--allow', 'loopback-webhooks,sandbox-payments']),
    userEnvironment: given,
    report: () => {},
    notify: (line) => void messages.push(line),
    hasOneRole: isReleased,
    resolveMain: (service) => join(isReleased(service) ? source.folder : root, 'services', service, 'src', 'main.ts'),
  })
  try {
    await work(await instance.ready)
    expect(findUnexpected(messages)).toEqual([])
  } finally {
    await instance.stop()
  }
}

/** Sells something, from the checkout to the invoice, through every service. */
async function sell({ facts }: Running): Promise<void> {
  const { base_url: origin, demo } = facts()
  if (!demo) throw new Error('no demo data')
  const api = apiClient({ origin, token: demo.organization_access_token })
  const receiver = await startWebhookReceiver()
  try {
    const endpoint = { url: receiver.url, format: 'raw', events: ['order.updated', 'order.paid'] }
    const { secret } = await api.send<{ secret: string }>('POST', { path: '/v1/webhooks/endpoints', body: endpoint, expect: 201 })
    receiver.trust(secret)
    const wanted = { products: [demo.product_id], customer_id: demo.customer_id }
    const checkout = await api.send<{ client_secret: string }>('POST', { path: '/v1/checkouts/', body: wanted, expect: 201 })
    const confirmation = { confirmation_token_id: 'ctoken_ok' }
    await api.send('POST', { path: `/v1/checkouts/client/${checkout.client_secret}/confirm`, body: confirmation, expect: 200 })
    const { data: order } = await receiver.waitFor(({ type }) => type === 'order.paid')
    const billing = {
      billing_name: 'Ada Byron',
      billing_address: { line1: '12 Row', postal_code: 'SW1Y 4JH', city: 'London', country: 'GB' },
    }
    await api.send('PATCH', { path: `/v1/orders/${order.id}`, body: billing, expect: 200 })
    await api.send('POST', { path: `/v1/orders/${order.id}/invoice`, expect: 202 })
    await receiver.waitFor(({ type, data }) => type === 'order.updated' && data.is_invoice_generated)
    expect((await downloadInvoice(api, order.id)).bytes.length).toBeGreaterThan(1_000)
  } finally {
    receiver.close()
  }
}

test.runIf(isHere)(`orders of ${release.version} sells with all other services of today`, async () => {
  await withSystem((service) => service === 'orders', sell)
})

test.runIf(isHere)(`orders of today sells with all other services of ${release.version}`, async () => {
  // That release has neither a provisioner nor pages.
  await withSystem((service) => !['orders', 'provisioner', 'storefront'].includes(service), sell)
})
