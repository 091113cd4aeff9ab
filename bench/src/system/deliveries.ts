/** Endpoints, events and deliveries for benchmarks: written into the tables, because the API would take hours. */
import { randomUUID } from 'node:crypto'
import { publicEvents } from '@quittance/contracts/registry'
import { durableConsumers } from '@quittance/contracts/streams'
import { Client } from 'pg'
import type { Engines } from '../engines.ts'
import type { Quittance } from './quittance.ts'

/** Subjects that another service than webhooks consumes: it would fail on the bodies of this benchmark, and each failure costs it a row. */
const consumedElsewhere = Object.values(durableConsumers)
  .filter(({ service }) => service !== 'webhooks')
  .map(({ subject }) => subject)

const isConsumedElsewhere = (subject: string) =>
  consumedElsewhere.some((consumed) => consumed === subject || (consumed.endsWith('*') && subject.startsWith(consumed.slice(0, -1))))

/** Event types that `orders` publishes for webhooks alone, one for each endpoint. */
export const types = publicEvents.filter(({ publisher, subject }) => publisher === 'orders' && !isConsumedElsewhere(subject)).slice(0, 20)

export interface Endpoints {
  organizationId: string
  /** One for each of the types, in the same order. */
  ids: readonly string[]
  /** Adds endpoints that receive none of the published events. */
  copy(count: number, url: string): Promise<string[]>
}

/** Creates one endpoint for each type through the API, because their secrets are sealed with the key of the system. */
export async function makeEndpoints({
  quittance,
  engines,
  url,
}: {
  quittance: Quittance
  engines: Engines
  url: string
}): Promise<Endpoints> {
  const ids: string[] = []
  for (const { webhookType } of types) {
    ids.push(await createEndpoint(quittance, { url: `${url}${ids.length}`, events: [webhookType] }))
  }
  return {
    organizationId: quittance.organizationId,
    ids,
    copy: (count, target) =>
      inDatabase(engines.postgres.url('webhooks'), async (client) => {
        const copied = await client.query<{ id: string }>(
          `with copied as (
             insert into webhook_endpoints (id, created_at, organization_id, url, format, events, sealed_secret)
             select gen_random_uuid(), now(), organization_id, $2 || n, 'raw', '{organization.updated}', sealed_secret
             from webhook_endpoints, generate_series(1, $1) n where id = $3 returning id)
           insert into webhook_lanes (endpoint_id) select id from copied returning endpoint_id as id`,
          [count, target, ids[0]],
        )
        return copied.rows.map(({ id }) => id)
      }),
  }
}

/** Creates an endpoint through the API and returns its id. */
export async function createEndpoint(
  { origin, token }: Quittance,
  endpoint: { url: string; events: readonly string[]; rate_limit?: number },
): Promise<string> {
  const response = await fetch(`${origin}/v1/webhooks/endpoints`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(endpoint),
  })
  if (response.status !== 201) throw new Error(`An endpoint was rejected: ${response.status} ${await response.text()}`)
  return ((await response.json()) as { id: string }).id
}

/** Runs work on one connection. */
export async function inDatabase<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

const filling = 'x'.repeat(2_000)

interface Due {
  endpoints: readonly string[]
  perEndpoint: number
  organizationId: string
}

/** Creates deliveries that become due when this call ends: of one event for each of them. */
export async function makeDue(url: string, { endpoints, perEndpoint, organizationId }: Due): Promise<void> {
  await inDatabase(url, async (client) => {
    await client.query('begin')
    await client.query(
      `with event as (
         insert into webhook_events (id, occurred_at, organization_id, type, aggregate_id, payload)
         select gen_random_uuid(), now(), $3, 'organization.updated', gen_random_uuid(), $4
         from generate_series(1, $2 * cardinality($1::uuid[])) n returning id, occurred_at, aggregate_id),
       numbered as (select *, row_number() over () as n from event)
       insert into webhook_deliveries (event_id, endpoint_id, occurred_at, aggregate_id, event_type, is_test, status, next_attempt_at)
       select id, ($1::uuid[])[1 + n % cardinality($1::uuid[])], occurred_at, aggregate_id, 'organization.updated', true, 'pending', now() from numbered`,
      [endpoints, perEndpoint, organizationId, JSON.stringify({ type: 'organization.updated', data: { filling } })],
    )
    await client.query(`update webhook_lanes set next_due_at = now() where endpoint_id = any($1)`, [endpoints])
    await client.query(`select pg_notify('wake', 'deliver-due')`)
    await client.query('commit')
  })
}

/** Commits events to the outbox of `orders`, evenly of all types. Their bodies contain the time. */
export async function commitEvents(client: Client, { count, organizationId }: { count: number; organizationId: string }): Promise<void> {
  const subjects = types.map(({ subject }) => subject)
  await client.query(
    `insert into outbox_messages (id, subject, aggregate_id, organization_id, payload, occurred_at)
     select gen_random_uuid(), ($1::text[])[1 + n % cardinality($1::text[])], gen_random_uuid(), $2, $3, now() from generate_series(0, $4 - 1) n`,
    [subjects, organizationId, JSON.stringify({ id: randomUUID(), sent_at: Date.now(), filling }), count],
  )
  // As a service does after its commit.
  await client.query(`notify wake, 'outbox'`)
}
