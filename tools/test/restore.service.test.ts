import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { createDisposableFolder } from '@quittance/testing/engines/disposable-folder'
import { startPostgres } from '@quittance/testing/engines/postgres'
import { eventually } from '@quittance/testing/eventually'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { apiClient, type ApiClient } from '../src/api-client.ts'
import { downloadInvoice } from '../src/demo/invoice-document.ts'
import { startWebhookReceiver, type WebhookReceiver } from '../src/demo/webhook-receiver.ts'
import { render } from '../src/kubernetes/render.ts'
import { startInstance, type Instance } from '../src/supervisor/instance.ts'
import { parseStartOptions } from '../src/supervisor/start-options.ts'

const services = ['webhooks', 'mail', 'usage', 'auth', 'orders', 'invoices']
let folder: string
let instance: Instance
let receiver: WebhookReceiver
let superuser: string
let api: ApiClient
let goods: { products: string[]; customer_id: string }

async function start(): Promise<void> {
  // Settings of this test run for services under test are not this system's; encrypted rows need the same keys again.
  const { BASE_URL: _, ...given } = process.env
  instance = startInstance({
    ...parseStartOptions(['--data', folder, '--port', '0', '--allow', 'loopback-webhooks,sandbox-payments']),
    userEnvironment: given,
    report: () => {},
    notify: () => {},
  })
  const { base_url: origin, demo, postgres_url: url } = (await instance.ready).facts()
  if (!demo || !url) throw new Error('no demo data, or no embedded PostgreSQL')
  superuser = url
  api = apiClient({ origin, token: demo.organization_access_token })
  goods = { products: [demo.product_id], customer_id: demo.customer_id }
}

beforeAll(async () => {
  folder = createDisposableFolder('restore')
  receiver = await startWebhookReceiver()
  await start()
  const endpoint = { url: receiver.url, format: 'raw', events: ['order.paid', 'order.updated'] }
  receiver.trust((await api.send<{ secret: string }>('POST', { path: '/v1/webhooks/endpoints', body: endpoint, expect: 201 })).secret)
})
afterAll(async () => {
  await instance.stop()
  receiver.close()
  rmSync(folder, { recursive: true, force: true })
})

async function sql<Row>(url: string, text: string): Promise<Row[]> {
  const client = new Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query(text)).rows as Row[]
  } finally {
    await client.end()
  }
}

const database = (name: string) => new URL(`/${name}`, superuser).href
const countPaid = (orderId: string) => receiver.events.filter(({ type, data }) => type === 'order.paid' && data.id === orderId).length

/** A sale with its webhook and its invoice. */
async function sell(): Promise<{ id: string; number: string; sha256: string }> {
  const checkout = await api.send<{ id: string; client_secret: string }>('POST', { path: '/v1/checkouts/', body: goods, expect: 201 })
  const body = { confirmation_token_id: 'ctoken_ok' }
  await api.send('POST', { path: `/v1/checkouts/client/${checkout.client_secret}/confirm`, body, expect: 200 })
  const { items } = await api.send<{ items: { id: string }[] }>('GET', { path: `/v1/orders/?checkout_id=${checkout.id}`, expect: 200 })
  const id = items[0]?.id as string
  // A replica whose connections were cut gets its queues again when their leases have expired.
  await eventually(() => expect(countPaid(id)).toBe(1), { withinMs: 60_000 })
  const billing = {
    billing_name: 'Ada Byron',
    billing_address: { line1: '12 Row', postal_code: 'SW1Y 4JH', city: 'London', country: 'GB' },
  }
  await api.send('PATCH', { path: `/v1/orders/${id}`, body: billing, expect: 200 })
  await api.send('POST', { path: `/v1/orders/${id}/invoice`, expect: 202 })
  await receiver.waitFor(({ type, data }) => type === 'order.updated' && data.id === id && data.is_invoice_generated)
  const { number, sha256 } = await downloadInvoice(api, id)
  return { id, number, sha256 }
}

/** Copies one database at this moment, like `pg_dump`; the service has no access while it is copied. */
async function backUp(name: string): Promise<void> {
  await sql(superuser, `alter database ${name} allow_connections false`)
  await sql(superuser, `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`)
  await sql(superuser, `create database ${name}_backup template ${name} owner ${name}`)
  await sql(superuser, `alter database ${name} allow_connections true`)
}

/** As docs/operations.md describes: a series is raised by one for each number to skip, because it rejects every other change. */
const skipNumbers = (count: number) => `do $$ begin
  for skipped in 1..${count} loop
    update document_series set last_number = last_number + 1 where kind = 'invoice';
  end loop;
end $$`

/**
 * Loses everything: the databases are restored from the backup, the stream is empty. A number issued since the backup is not issued again.
 */
async function loseAndRestore(): Promise<void> {
  await instance.stop()
  rmSync(join(folder, 'nats'), { recursive: true, force: true })
  // A server that was killed leaves its child processes behind for a moment.
  const postgres = await eventually(() => startPostgres({ dataDir: join(folder, 'postgres') }), { withinMs: 30_000 })
  for (const name of services) {
    await sql(postgres.url('postgres'), `drop database ${name}`)
    await sql(postgres.url('postgres'), `alter database ${name}_backup rename to ${name}`)
  }
  await sql(postgres.url('invoices'), skipNumbers(1))
  await postgres.stop()
  await start()
}

test('after a restore from backup and an empty NATS, nothing is lost, repeated or numbered twice', async () => {
  const first = await sell()
  // The database of webhooks is older than the others: it lacks what orders has published since.
  await backUp('webhooks')
  const second = await sell()
  for (const name of services.slice(1)) await backUp(name)
  const skippedSale = await sell()
  const lost = await sell()
  await loseAndRestore()

  // Published again, because webhooks had not received it; with the same id, so that an endpoint recognizes it.
  await eventually(() => expect(countPaid(second.id)).toBe(2), { withinMs: 60_000 })
  const third = await sell()
  expect(countPaid(first.id)).toBe(1)
  expect(countPaid(second.id)).toBe(2)
  for (const sale of [first, second])
    expect(await downloadInvoice(api, sale.id)).toMatchObject({ number: sale.number, sha256: sale.sha256 })
  // The sales after the backup no longer exist, and their numbers are issued again, except for the skipped ones.
  for (const { id } of [skippedSale, lost]) await api.send('GET', { path: `/v1/orders/${id}`, expect: 404 })
  expect(third.number).toBe(lost.number)
  const numbers = await sql<{ number: string }>(database('invoices'), 'select number from invoices')
  expect(new Set(numbers.map(({ number }) => number))).toEqual(new Set([first.number, second.number, third.number]))
  for (const name of services) {
    await eventually(async () => expect(await sql(database(name), 'select from outbox_messages where published_at is null')).toEqual([]))
    expect(await sql(database(name), 'select from dead_letters')).toEqual([])
  }
})

test('the init container of the manifests migrates an empty database to the newest schema', async () => {
  const manifests = render(join(import.meta.dirname, '../../infra/kubernetes/overlays/small'))
  for (const name of ['orders', 'webhooks']) {
    const deployment = manifests.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === name)
    const { spec } = deployment as unknown as { spec: { template: { spec: { initContainers: { command: string[]; args: string[] }[] } } } }
    const [{ command, args } = { command: [], args: [] }] = spec.template.spec.initContainers
    await sql(superuser, `create database empty_${name} owner ${name}`)
    const cwd = join(import.meta.dirname, '../../services', name)
    const env = { ...process.env, DATABASE_URL: database(`empty_${name}`) }
    const { status, stderr } = spawnSync(process.execPath, [...command.slice(1), ...args], { cwd, env, encoding: 'utf8' })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    const count = 'select count(*) from migrations'
    expect(await sql(database(`empty_${name}`), count)).toEqual(await sql(database(name), count))
  }
})
