/** The write of the peer: a customer, its two events and the stored reply in one transaction; the events are published afterwards. */
import { createHash, randomUUID } from 'node:crypto'
import type { JetStreamClient } from 'nats'
import type { Pool, PoolClient } from 'pg'

export const writeTables = [
  // Indexes for the filters and sort orders of the contract's lists.
  `create unique index customers_by_email on customers (organization_id, lower(email))`,
  `create unique index customers_by_external_id on customers (organization_id, external_id) where external_id is not null`,
  `create index customers_by_time on customers (organization_id, created_at, id)`,
  `create index customers_by_name on customers (organization_id, name, created_at, id)`,
  `create table idempotent_replies (
    key_hash text primary key, request_hash text not null, reply text not null, created_at timestamptz not null default now()
  )`,
  `create table outbox (
    position bigint generated always as identity primary key, id uuid not null, subject text not null, payload text not null, published_at timestamptz
  )`,
  `create index outbox_waiting on outbox (position) where published_at is null`,
]

export interface CreateCustomer {
  organization_id: string
  key: string
  body: { email: string; name?: string }
}

const lock = { name: 'lock', text: `select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as taken` }
const find = { name: 'find', text: `select request_hash, reply from idempotent_replies where key_hash = $1` }
const insert = {
  name: 'insert',
  text: `insert into customers as c (id, organization_id, created_at, email, email_verified, name, metadata)
    values ($1, $2, now(), $3, false, $4, '{}') returning row_to_json(c)::text as json`,
}
const insertEvents = { name: 'insert-events', text: `insert into outbox (id, subject, payload) values ($1, $2, $3), ($4, $5, $6)` }
export const emptyState = { active_subscriptions: [], granted_benefits: [], active_meters: [] }
const storeReply = { name: 'store-reply', text: `insert into idempotent_replies (key_hash, request_hash, reply) values ($1, $2, $3)` }

const digest = (text: string) => createHash('sha256').update(text).digest('hex')

/** Returns the customer as JSON; the same again for the same request with the same key. */
export async function createCustomer(pool: Pool, request: CreateCustomer): Promise<string> {
  const client = await pool.connect()
  try {
    await client.query('begin')
    const json = await createOnce(client, request)
    await client.query('commit')
    return json
  } catch (error) {
    await client.query('rollback')
    throw error
  } finally {
    client.release()
  }
}

async function createOnce(client: PoolClient, { organization_id: organizationId, key, body }: CreateCustomer): Promise<string> {
  const keyHash = digest(`${organizationId}\n${key}`)
  const requestHash = digest(JSON.stringify(body))
  const { rows: locked } = await client.query({ ...lock, values: [keyHash] })
  if (!locked[0]?.taken) throw new Error('A request with this key is in progress.')
  const { rows: stored } = await client.query({ ...find, values: [keyHash] })
  if (stored[0]) {
    if (stored[0].request_hash === requestHash) return stored[0].reply
    throw new Error('This key was used with another request.')
  }
  const { rows } = await client.query({ ...insert, values: [randomUUID(), organizationId, body.email, body.name ?? null] })
  const { json } = rows[0]
  const state = JSON.stringify({ ...JSON.parse(json), ...emptyState })
  await client.query({ ...insertEvents, values: [randomUUID(), 'customer.created', json, randomUUID(), 'customer.state_changed', state] })
  await client.query({ ...storeReply, values: [keyHash, requestHash, json] })
  return json
}

const pollMs = 50

/** Publishes committed events in a loop. */
export function relay(pool: Pool, { jetstream, prefix }: { jetstream: JetStreamClient; prefix: string }): void {
  const batch = async () => {
    const client = await pool.connect()
    try {
      await client.query('begin')
      const { rows } = await client.query({
        name: 'due',
        text: `select position, id, subject, payload from outbox where published_at is null order by position limit 100 for update skip locked`,
      })
      await Promise.all(rows.map(({ id, subject, payload }) => jetstream.publish(`${prefix}.${subject}`, payload, { msgID: id })))
      const positions = rows.map(({ position }) => position)
      await client.query({
        name: 'mark-published',
        text: 'update outbox set published_at = now() where position = any($1)',
        values: [positions],
      })
      await client.query('commit')
      return rows.length
    } finally {
      client.release()
    }
  }
  const run = async () => {
    const published = await batch().catch(() => 0)
    setTimeout(() => void run(), published === 100 ? 0 : pollMs).unref()
  }
  void run()
}
