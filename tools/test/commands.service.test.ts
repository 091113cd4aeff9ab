import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { customerSessionEnded } from '@quittance/contracts/customer-sessions'
import { connectNats } from '@quittance/runtime/nats-connection'
import { createDisposableFolder } from '@quittance/testing/engines/disposable-folder'
import { signedEventHeaders, testBusEnvironment, testBusSettings } from '@quittance/testing/bus'
import { eventually } from '@quittance/testing/eventually'
import { startFakeStripe, type FakeStripe } from '@quittance/testing/stripe/fake-stripe'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { apiClient } from '../src/api-client.ts'
import { checkServers } from '../src/doctor/check-servers.ts'
import { startInstance, type Instance, type Running } from '../src/supervisor/instance.ts'
import { parseStartOptions } from '../src/supervisor/start-options.ts'

const root = join(import.meta.dirname, '../..')
let folder: string
let fake: FakeStripe
let instance: Instance
let running: Running

beforeAll(async () => {
  folder = createDisposableFolder('commands')
  // Settings of this test run for services under test are not this system's.
  const { BASE_URL: _, ...environment } = process.env
  // As Compose and env files pass what is not set.
  const empty = { NATS_URL: ' ', DATABASE_URL_ORDERS: ' ', SECRETS_KEY: '', LINK_SECRET: '', HOST: '' }
  fake = await startFakeStripe()
  const given = { ...environment, ...empty, ...testBusEnvironment(), PAYMENT_PROVIDERS: 'stripe', STRIPE_API_URL: fake.url }
  const options = parseStartOptions(['--data', folder, '--port', '0', '--seed', 'none'])
  instance = startInstance({ ...options, userEnvironment: given, report: () => {}, notify: () => {} })
  running = await instance.ready
})
afterAll(async () => {
  await instance.stop()
  await fake[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

/** Runs a command as a user would, on the running instance. */
async function quittance(...args: string[]): Promise<Outcome> {
  return run([...args, '--data', folder])
}

interface Outcome {
  status: number | null
  output: string
  errors: string
}

/** Runs a command in a folder. Settings that are not set are empty. */
async function run(
  args: readonly string[],
  { cwd = root, settings = {} }: { cwd?: string; settings?: NodeJS.ProcessEnv } = {},
): Promise<Outcome> {
  const env = { ...process.env, NATS_URL: '', ...settings }
  const child = spawn(process.execPath, [join(root, 'tools/src/quittance.ts'), ...args], { cwd, env })
  let [output, errors] = ['', '']
  child.stdout.on('data', (chunk) => (output += chunk))
  child.stderr.on('data', (chunk) => (errors += chunk))
  const status = await new Promise<number | null>((resolve) => child.once('close', resolve))
  return { status, output, errors }
}

async function runForJson<Reply>(...args: string[]): Promise<Reply> {
  const { status, output, errors } = await quittance(...args)
  expect({ status, errors }).toEqual({ status: 0, errors })
  return JSON.parse(output) as Reply
}

async function listed(...args: string[]): Promise<Record<string, string>[]> {
  const { status, output, errors } = await quittance('events', ...args)
  expect({ status, errors }).toEqual({ status: 0, errors: '' })
  return output
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, string>)
}

async function rows<Row>(service: string, sql: string, values: unknown[] = []): Promise<Row[]> {
  const client = new Client({ connectionString: new URL(`/${service}`, running.facts().postgres_url ?? '').href })
  await client.connect()
  try {
    return (await client.query(sql, values)).rows as Row[]
  } finally {
    await client.end()
  }
}

interface Seeded {
  organization: { id: string }
  second_organization: { id: string }
  organization_access_token: string
  personal_access_token: string
  paid_order_id: string
}
let seeded: Seeded

test('seed creates demo data in the running system, with credentials that work', async () => {
  seeded = await runForJson<Seeded>('seed')
  const first = seeded
  const headers = { authorization: `Bearer ${first.organization_access_token}` }
  const response = await fetch(`${running.facts().base_url}/v1/orders/`, { headers })
  expect(await response.json()).toMatchObject({ pagination: { total_count: 2 } })
})

test('events lists the last ones, or by time, type and organization, with their payload', async () => {
  await eventually(async () => expect(await listed('--type', 'order.paid')).toHaveLength(1))
  const { organization } = seeded
  const [paid] = await listed('--since', '1h', '--type', 'order.paid', '--organization', organization.id, '--payload')
  expect(paid).toMatchObject({ subject: 'event.order.paid', organization_id: organization.id, payload: { status: 'paid' } })
  expect(paid?.['trace_id']).toMatch(/^[0-9a-f]{32}$/)
  expect(await listed('--last', '3')).toHaveLength(3)
  expect((await quittance('events', '--since', '2999-01-01T00:00:00Z')).errors).toContain('is in the future')
  expect(await listed('--organization', '00000000-0000-4000-8000-000000000000')).toEqual([])
  expect((await quittance('events', '--type', 'order.eaten')).errors).toContain('there is no event order.eaten')
})

test('dead-letters lists the failed events of each service, and replay handles them', async () => {
  const { id } = await runForJson<{ id: string }>('account', 'create', '--email', 'eve@example.com')
  const { id: organizationId } = await runForJson<{ id: string }>(
    'organization',
    'create',
    '--name',
    'Late',
    '--slug',
    'late',
    '--owner',
    id,
  )
  const known = () => rows('orders', 'select from organizations where id = $1', [organizationId])
  await eventually(async () => expect(await known()).toHaveLength(1))
  // As if its consumer had failed: it has no effect, and a dead letter exists.
  const [event] = await listed('--organization', organizationId, '--payload')
  await rows('orders', 'delete from organizations where id = $1', [organizationId])
  await rows('orders', 'delete from inbox_messages where message_id = $1', [event?.['id']])
  const subject = 'event.organization.created'
  const payload = Buffer.from(JSON.stringify(event?.['payload']))
  const about = { aggregateId: organizationId, organizationId, occurredAt: event?.['time'] as string }
  const signed = signedEventHeaders('auth', { subject, id: event?.['id'] as string, ...about, body: payload })
  const carried = Object.fromEntries(signed.keys().map((key) => [key, signed.get(key)]))
  const insert = `insert into dead_letters (consumer, message_id, subject, headers, payload, reason)
    values ('orders-organizations', $1, $2, $3, $4, 'Error: no room')`
  await rows('orders', insert, [event?.['id'], subject, carried, payload])
  const deadLetters = await runForJson<Record<string, { total_count: number }>>('dead-letters')
  expect(deadLetters).toMatchObject({
    orders: { total_count: 1, dead_letters: [{ organization_id: organizationId, reason: 'Error: no room' }] },
    invoices: { total_count: 0 },
    webhooks: { total_count: 0 },
    mail: { total_count: 0 },
    usage: { total_count: 0 },
    failed_invoices: [],
  })
  const unknown = randomUUID()
  const missing = await quittance('replay', '--service', 'orders', '--id', unknown)
  expect(missing).toMatchObject({ status: 1, errors: `orders has no dead letter ${unknown}.\n` })
  expect(await runForJson('replay', '--service', 'orders', '--dead-letters')).toMatchObject({ handled: [expect.any(String)], failed: [] })
  expect(await known()).toHaveLength(1)
})

test('does not replay a dead letter that its publisher did not sign', async () => {
  const id = randomUUID()
  const forged = { id, name: 'Forged', slug: 'forged' }
  const carried = { 'Nats-Msg-Id': id, aggregate: id, organization: id, 'occurred-at': new Date().toISOString() }
  const insert = `insert into dead_letters (consumer, message_id, subject, headers, payload, reason)
    values ('orders-organizations', $1, 'event.organization.created', $2, $3, 'unsigned')`
  await rows('orders', insert, [id, carried, Buffer.from(JSON.stringify(forged))])
  const { status, output } = await quittance('replay', '--service', 'orders', '--dead-letters')
  expect(status).toBe(1)
  expect(JSON.parse(output)).toMatchObject({ handled: [], failed: [{ reason: expect.stringContaining('not authentic') as string }] })
  expect(await rows('orders', 'select from organizations where id = $1', [id])).toEqual([])
  await rows('orders', 'delete from dead_letters')
})

test('replay since a time makes a running service handle what it missed, and nothing twice', async () => {
  const [{ count: before }] = (await rows<{ count: string }>('orders', 'select count(*) from organizations')) as [{ count: string }]
  const [missed] = await rows<{ id: string }>('orders', 'delete from organizations where id = $1 returning id', [
    seeded.second_organization.id,
  ])
  await rows('orders', `delete from inbox_messages where consumer = 'orders-organizations'`)
  const { output, status, errors } = await quittance('replay', '--service', 'orders', '--since', '1h')
  expect({ status, errors }).toEqual({ status: 0, errors: '' })
  expect(output).toMatch(/^orders-organizations: [1-9]\d* events since .* are replayed$/m)
  await eventually(async () => expect(await rows('orders', 'select from organizations where id = $1', [missed?.id])).toHaveLength(1))
  expect(await rows('orders', 'select count(*) from organizations')).toEqual([{ count: before }])
  expect(await rows('orders', 'select from dead_letters')).toEqual([])
})

test('payments reconcile prints each difference, and its status is 1 if there are any', async () => {
  const { id, mode, apiKey: secret_key, webhookSecret: webhook_secret } = fake.createAccount()
  const headers = { authorization: `Bearer ${seeded.personal_access_token}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ provider: 'stripe', mode, organization_id: seeded.organization.id, secret_key, webhook_secret })
  const response = await fetch(`${running.facts().base_url}/v1/payment-accounts/`, { method: 'POST', headers, body })
  const account = (await response.json()) as { id: string }
  const reconcile = () => quittance('payments', 'reconcile', '--account', account.id, '--since', '2h')
  expect(await reconcile()).toMatchObject({ status: 0, output: expect.stringContaining('No differences.'), errors: '' })
  const metadata = {
    'metadata[quittance_payment]': randomUUID(),
    'metadata[quittance_installation]': new URL(running.facts().base_url).host,
  }
  const made = await fetch(`${fake.url}/v1/payment_intents`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret_key}` },
    body: new URLSearchParams({ amount: '1190', currency: 'eur', ...metadata }),
  })
  const { id: intent } = (await made.json()) as { id: string }
  const { status, output, errors } = await reconcile()
  expect({ status, errors }).toEqual({ status: 1, errors: '' })
  expect(output).toContain(`payment - (${intent}) missing here: provider untouched 1190 eur, here nothing\n`)
  expect(output).not.toContain(secret_key)
  fake.revokeKeys(id)
  expect(await reconcile()).toMatchObject({ status: 2, errors: expect.stringContaining('Stripe rejected the API key.') })
})

test('invoices verify prints the heads of an organization, and fails for one without documents', async () => {
  const { organization, organization_access_token: token, paid_order_id: orderId } = seeded
  const api = apiClient({ origin: running.facts().base_url, token })
  const address = { line1: '12 Row', postal_code: 'SW1Y 4JH', city: 'London', country: 'GB' }
  await api.send('PATCH', { path: `/v1/orders/${orderId}`, body: { billing_name: 'Ada Byron', billing_address: address }, expect: 200 })
  await api.send('POST', { path: `/v1/orders/${orderId}/invoice`, expect: 202 })
  await eventually(async () => expect(await rows('invoices', 'select from document_links')).not.toEqual([]))
  const { status, output, errors } = await quittance('invoices', 'verify', '--organization', organization.id.toUpperCase())
  expect({ status, errors }).toEqual({ status: 0, errors: '' })
  expect(output).toContain(`{"type":"head","organization_id":"${organization.id}"`)
  const unknown = randomUUID()
  const expected = { status: 1, output: '', errors: `The organization ${unknown} has no documents.\n` }
  expect(await quittance('invoices', 'verify', '--organization', unknown)).toEqual(expected)
  const heads = join(folder, 'heads.jsonl')
  writeFileSync(heads, output)
  expect(await quittance('invoices', 'verify', '--heads', heads)).toMatchObject({ status: 0, errors: '' })
})

test('events lists everything, also more than a connection may wait for, and what is not JSON', async () => {
  const passwords = JSON.parse(readFileSync(join(folder, 'nats.passwords'), 'utf8')) as Record<string, string>
  const { host } = new URL(running.facts().nats_url)
  const thief = await connectNats({ name: 'orders', url: `nats://orders:${passwords['orders']}@${host}` })
  const large = 'x'.repeat(4_000_000)
  for (let sent = 0; sent < 60; sent++) {
    thief.publish(customerSessionEnded.subject, sent === 0 ? 'not JSON' : large)
    await thief.flush()
  }
  await thief.close()
  await eventually(async () => {
    const found = await listed('--since', '1h', '--type', customerSessionEnded.subject)
    expect(found).toHaveLength(60)
  })
  const [first] = await listed('--last', '60', '--type', customerSessionEnded.subject, '--payload')
  expect(first).toMatchObject({ payload: 'not JSON' })
})

test('doctor accepts two roles of a database, and names one that cannot migrate', async () => {
  const secrets = JSON.parse(readFileSync(join(folder, 'secrets.json'), 'utf8')) as Record<string, string>
  const { host } = new URL(running.facts().postgres_url as string)
  const url = (role: string, password: string) => `postgres://${role}:${secrets[password]}@${host}/usage`
  const runtime = { DATABASE_URL_USAGE: url('usage_runtime', 'DATABASE_PASSWORD_USAGE') }
  const both = { ...runtime, MIGRATION_DATABASE_URL_USAGE: url('usage', 'MIGRATION_DATABASE_PASSWORD_USAGE') }
  const [runtimeFinding, migrationFinding] = await checkServers(both)
  expect(runtimeFinding).toMatchObject({ what: 'DATABASE_URL_USAGE', state: 'ok' })
  // A warning where pg_dump is older than the server.
  expect(migrationFinding).toMatchObject({
    what: 'MIGRATION_DATABASE_URL_USAGE',
    message: expect.stringMatching(/^PostgreSQL 18/) as string,
  })
  expect(await checkServers(runtime)).toMatchObject([{ what: 'DATABASE_URL_USAGE', state: 'missing' }])
})

test('an empty setting is one that is not set', async () => {
  const owner = new URL('/usage', running.facts().postgres_url ?? '').href
  const settings = { DATABASE_URL_USAGE: owner, MIGRATION_DATABASE_URL_USAGE: '', DATABASE_URL_MAIL: ' ' }
  expect(await run(['migrate'], { settings })).toEqual({ status: 0, output: 'usage: up to date\n', errors: '' })
  const home = createDisposableFolder('default-data')
  symlinkSync(folder, join(home, '.quittance'))
  expect(await run(['events', '--last', '1'], { cwd: home })).toMatchObject({ status: 0, errors: '' })
  expect(await run(['account', 'create', '--email', 'empty@example.com'], { cwd: home })).toMatchObject({ status: 0, errors: '' })
  rmSync(home, { recursive: true })
})

test('a command names a NATS server that it cannot reach, and ends', async () => {
  Object.assign(process.env, testBusSettings('operator'))
  for (const args of [['account', 'create', '--email', 'a@example.com'], ['events'], ['replay', '--service', 'orders', '--since', '1h']]) {
    const { status, errors } = await quittance(...args, '--nats', 'nats://operator:x@127.0.0.1:1')
    expect({ status, errors }).toEqual({ status: 1, errors: expect.stringContaining('NATS (127.0.0.1:1) cannot be used') as string })
  }
})

test('events --follow ends when the reader of its output has', async () => {
  const args = [join(root, 'tools/src/quittance.ts'), 'events', '--last', '1', '--follow', '--data', folder]
  const child = spawn(process.execPath, args, { cwd: root, env: { ...process.env, NATS_URL: '' }, stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  await once(child.stdout, 'data')
  child.stdout.destroy()
  let isRunning = true
  void ended.then(() => (isRunning = false))
  const { id } = await runForJson<{ id: string }>('account', 'create', '--email', 'follow@example.com')
  await eventually(async () => {
    // An event to print.
    await quittance('organization', 'create', '--name', 'Followed', '--slug', `f-${randomUUID().slice(0, 8)}`, '--owner', id)
    expect(isRunning).toBe(false)
  })
  expect(await ended).toEqual([0, null])
})

test('dead-letters lists those of the services while the database of invoices is down', async () => {
  const { status, output } = await run(['dead-letters', '--data', folder], {
    settings: { DATABASE_URL_INVOICES: 'postgres://invoices:x@127.0.0.1:1/invoices' },
  })
  expect(status).toBe(0)
  expect(JSON.parse(output)).toMatchObject({
    orders: { total_count: 0 },
    failed_invoices: expect.stringMatching(/^not available: connect ECONNREFUSED/) as string,
  })
})

test('rejects invalid arguments with a message', async () => {
  for (const type of ['event.', 'event. x', 'event.>.x'])
    expect((await quittance('events', '--type', type)).errors).toContain(`there is no event ${type}`)
  expect(await quittance('replay', '--service', 'orders', '--id', 'x')).toMatchObject({
    status: 2,
    errors: expect.stringContaining('--id: ') as string,
  })
  const account = randomUUID()
  expect(await quittance('member', 'add', '--organization', 'nope', '--account', account)).toMatchObject({
    status: 2,
    errors: expect.stringMatching(/^--organization: /) as string,
  })
  expect((await quittance('replay', '--service', 'auth', '--since', '1h')).errors).toContain('auth consumes no events')
  expect((await quittance('replay', '--service', 'orders')).errors).toContain('Use either --dead-letters or --since.')
  expect((await quittance('events', '--since', 'yesterday')).errors).toContain('--since must be a time like')
  expect((await quittance('seed', '--nats', 'nats://127.0.0.1:1')).errors).toContain('--origin is required')
})
