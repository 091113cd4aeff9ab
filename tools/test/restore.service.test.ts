import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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

const services = ['webhooks', 'auth', 'orders', 'invoices']
let folder: string
let instance: Instance
let receiver: WebhookReceiver
let superuser: string
let api: ApiClient
let goods: { products: string[]; customer_id: string }

async function start(): Promise<void> {
  // Settings that this test run makes for services under test are not this system's; sealed rows want the same keys again.
  const { BASE_URL: _, ...given } = process.env
  instance = startInstance({ ...parseStartOptions(['--data', folder, '--port', '0']), given, say: () => {}, tell: () => {} })
  const { base_url: origin, demo, postgres_url: url } = (await instance.ready).facts()
  if (!demo || !url) throw new Error('no demo data, or no PostgreSQL of its own')
  superuser = url
  api = apiClient({ origin, token: demo.organization_access_token })
  goods = { products: [demo.product_id], customer_id: demo.customer_id }
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quittance-restore-'))
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
const paidOf = (orderId: string) => receiver.events.filter(({ type, data }) => type === 'order.paid' && data.id === orderId).length

/** A sale with its webhook and its invoice. */
async function sell(): Promise<{ id: string; number: string; sha256: string }> {
  const checkout = await api.send<{ id: string; client_secret: string }>('POST', { path: '/v1/checkouts/', body: goods, expect: 201 })
  const body = { confirmation_token_id: 'ctoken_ok' }
  await api.send('POST', { path: `/v1/checkouts/client/${checkout.client_secret}/confirm`, body, expect: 200 })
  const { items } = await api.send<{ items: { id: string }[] }>('GET', { path: `/v1/orders/?checkout_id=${checkout.id}`, expect: 200 })
  const id = items[0]?.id as string
  // A replica whose connections were cut gets its lanes back when their lease has run out.
  await eventually(() => expect(paidOf(id)).toBe(1), { withinMs: 60_000 })
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

/** A copy of one database as it is at this moment, like `pg_dump` makes one; the service is shut out while it is made. */
async function backUp(name: string): Promise<void> {
  await sql(superuser, `alter database ${name} allow_connections false`)
  await sql(superuser, `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`)
  await sql(superuser, `create database ${name}_backup template ${name} owner ${name}`)
  await sql(superuser, `alter database ${name} allow_connections true`)
}

/** As docs/operations.md says it: a series is raised by one as often as there are numbers to pass over, for it refuses every other change. */
const passOver = (count: number) => `do $$ begin
  for skipped in 1..${count} loop
    update document_series set last_number = last_number + 1 where kind = 'invoice';
  end loop;
end $$`

/** Everything is gone: the databases come from the backup, the stream from nowhere. One number that was given since is not given again. */
async function loseAndRestore(): Promise<void> {
  await instance.stop()
  rmSync(join(folder, 'nats'), { recursive: true, force: true })
  // A server that was given no time to stop leaves its children behind for a moment.
  const postgres = await eventually(() => startPostgres({ dataDir: join(folder, 'postgres') }), { withinMs: 30_000 })
  for (const name of services) {
    await sql(postgres.url('postgres'), `drop database ${name}`)
    await sql(postgres.url('postgres'), `alter database ${name}_backup rename to ${name}`)
  }
  await sql(postgres.url('invoices'), passOver(1))
  await postgres.stop()
  await start()
}

test('databases from a backup and an empty NATS: nothing of then is lost, nothing is done twice, and sales go on, past numbers that were handed out', async () => {
  const first = await sell()
  // Webhooks is older than the others: what orders has told since is not in it.
  await backUp('webhooks')
  const second = await sell()
  for (const name of services.slice(1)) await backUp(name)
  const handedOut = await sell()
  const lost = await sell()
  await loseAndRestore()

  // Told again, because webhooks had not heard of it; under its own id, so that an endpoint knows it.
  await eventually(() => expect(paidOf(second.id)).toBe(2), { withinMs: 60_000 })
  const third = await sell()
  expect(paidOf(first.id)).toBe(1)
  expect(paidOf(second.id)).toBe(2)
  for (const sale of [first, second])
    expect(await downloadInvoice(api, sale.id)).toMatchObject({ number: sale.number, sha256: sale.sha256 })
  // The sales after the backup are not there any more, and their numbers are given again, but for those that were passed over.
  for (const { id } of [handedOut, lost]) await api.send('GET', { path: `/v1/orders/${id}`, expect: 404 })
  expect(third.number).toBe(lost.number)
  const numbers = await sql<{ number: string }>(database('invoices'), 'select number from invoices')
  expect(new Set(numbers.map(({ number }) => number))).toEqual(new Set([first.number, second.number, third.number]))
  for (const name of services) {
    await eventually(async () => expect(await sql(database(name), 'select from outbox_messages where published_at is null')).toEqual([]))
    expect(await sql(database(name), 'select from dead_letters')).toEqual([])
  }
})

test('the init container of the manifests brings an empty database to the newest schema', async () => {
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
