import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { PublicOperation } from '@quittance/contracts/operation'
import { publicOperations } from '@quittance/contracts/registry'
import { eventually } from '@quittance/testing/eventually'
import { startSystem, type StartedSystem } from '@quittance/testing/system'
import { expect, test } from 'vitest'

const number = '4242 4242 4242 4242'
const digits = number.replaceAll(' ', '')
const card = { number, cvc: '987', exp_month: 12, exp_year: 2050 }

/** The ways in which a form could send a card, beside a token. */
const cardFields = {
  card,
  number,
  card_number: digits,
  source: digits,
  payment_method: { type: 'card', card },
  payment_method_data: { card },
  payment_method_id: digits,
  confirmation_token_id: number,
}

const databases = ['auth', 'orders', 'invoices', 'webhooks', 'usage'] as const

/** Every row of every table of a service, as text. */
async function readTables(system: StartedSystem, service: (typeof databases)[number]): Promise<string> {
  const [all] = await system.rows<{ text: string }>(
    service,
    `select string_agg(query_to_xml(format('select * from %I', table_name), true, false, '')::text, '') as text from information_schema.tables
     where table_schema = 'public' and table_type = 'BASE TABLE'`,
  )
  return all?.text ?? ''
}

/** Sends a card to an operation, again while the gateway limits this address. */
function send(system: StartedSystem, { http }: PublicOperation): Promise<number> {
  const path = http.path.replaceAll(/\{[^}]+\}/g, randomUUID())
  const headers = { authorization: `Bearer ${system.demo.organization_access_token}`, 'content-type': 'application/json' }
  const hasBody = http.method === 'POST' || http.method === 'PATCH'
  const url = `${system.readReadyFile().base_url}${path}?number=${digits}&card=${encodeURIComponent(number)}`
  return eventually(async () => {
    const response = await fetch(url, { method: http.method, headers, ...(hasBody && { body: JSON.stringify(cardFields) }) })
    await response.arrayBuffer()
    expect(response.status === 429 && Number(response.headers.get('retry-after')) <= 1).toBe(false)
    return response.status
  })
}

test('a card number that is sent to any operation is in no log, table or event [payments 81]', async () => {
  await using system = await startSystem()
  const operations = publicOperations.filter(({ http }) => !http.raw)
  const statuses = new Set<number>()
  for (const operation of operations) statuses.add(await send(system, operation))
  expect([...statuses].filter((status) => status >= 500)).toEqual([])
  const { demo, api } = system
  await eventually(async () => expect((await api('GET', '/v1/products/')).status).toBe(200))
  const checkout = await api('POST', '/v1/checkouts/', { ...cardFields, products: [demo.product_id] })
  const buyer = { ...cardFields, customer_email: 'ada@example.com', customer_name: 'Ada Lovelace' }
  const confirm = (token: string) =>
    api('POST', `/v1/checkouts/client/${checkout.body.client_secret}/confirm`, { ...buyer, confirmation_token_id: token })
  expect((await confirm(number)).status).toBe(400)
  expect((await confirm('ctoken_ok')).status).toBe(200)
  const order = await eventually(async () => {
    const { items } = (await api('GET', '/v1/orders/?limit=100')).body as { items: { checkout_id: string; status: string; id: string }[] }
    const found = items.find(({ checkout_id }) => checkout_id === checkout.body.id)
    expect(found?.status).toBe('paid')
    return found
  })
  await api('POST', '/v1/refunds/', { ...cardFields, order_id: order?.id, amount: 100, reason: 'other' })
  await eventually(async () => expect(await system.rows('orders', 'select from outbox_messages where published_at is null')).toEqual([]))
  // Tables contain the events: the outboxes, and those that webhooks received.
  const tables = await Promise.all(databases.map((service) => readTables(system, service)))
  expect(tables.join('')).toContain(order?.id)
  const logs = join(dirname(system.readyFile), 'data', 'logs')
  const lines = readdirSync(logs).map((name) => readFileSync(join(logs, name), 'utf8'))
  expect(lines.join('').length).toBeGreaterThan(1_000)
  for (const text of [...tables, ...lines]) for (const secret of [number, digits]) expect(text.includes(secret)).toBe(false)
})
