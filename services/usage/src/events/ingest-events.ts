import { createHash } from 'node:crypto'
import { ServiceUnavailable } from '@quittance/contracts/errors'
import { ingestUsageEvents as contract } from '@quittance/contracts/usage-events'
import { staged, type CommandContext } from '@quittance/runtime/handler'
import type { ScopedSql } from '@quittance/sql/sql-runner'
import { awaitCustomers } from '../customers/copy-progress.ts'
import { lockForEvents } from '../owners/lock-organizations.ts'
import { resolveOwners, type OwnerReference } from '../owners/owners.ts'
import { createEventsError, resolveEvents, type ResolvedEvent } from './resolve-events.ts'

/** Stores usage events: all of a request in one transaction, or none. */
export const ingestUsageEvents = staged(contract, {
  prepare({ events }, { sql }) {
    const ids = new Set(events.flatMap(({ customer_id }) => customer_id ?? []))
    return ids.size > 0 ? awaitCustomers(sql, [...ids]) : Promise.resolve({ isBehind: false })
  },
  async commit({ events: received }, context) {
    const events = resolveEvents(received, { caller: context.caller, now: context.now })
    if (events.length === 0) return { inserted: 0, duplicates: 0 }
    const { sql } = context
    await lockForEvents(sql, [...new Set(events.map(({ organizationId }) => organizationId))])
    const owners = await requireOwners(events, context)
    const isNew = await claimKeys(sql, events)
    await insertEvents(
      sql,
      events.map((event, index) => ({ ...event, ownerId: owners[index] as string })).filter((_, index) => isNew[index]),
    )
    const inserted = isNew.filter(Boolean).length
    return { inserted, duplicates: events.length - inserted }
  },
  finish: (committed) => committed,
})

/** Returns the owner of each event; a `customer_id` of no customer is an error at its event. */
async function requireOwners(
  events: readonly ResolvedEvent[],
  { sql, prepared }: CommandContext & { prepared: { isBehind: boolean } | undefined },
): Promise<string[]> {
  const references = new Map<string, OwnerReference>()
  const keys = events.map(({ organizationId, customerId, externalCustomerId }) => {
    const reference = { organizationId, customerId, externalId: customerId === null ? externalCustomerId : null }
    const key = JSON.stringify(reference)
    references.set(key, reference)
    return key
  })
  const ids = await resolveOwners(sql, [...references.values()])
  const owners = new Map([...references.keys()].map((key, index) => [key, ids[index]]))
  const unknown = keys.flatMap((key, index) => (owners.get(key) ? [] : [index]))
  if (unknown.length === 0) return keys.map((key) => owners.get(key) as string)
  if (prepared?.isBehind) throw new ServiceUnavailable('The customer is not known here yet. Retry the request.')
  throw createEventsError(unknown.map((index) => ({ index, key: 'customer_id', msg: 'Customer not found.', type: 'value_error' })))
}

const insertKeys = `
  insert into event_keys (organization_id, key)
  select organization_id, key from unnest(:organizations::uuid[], :keys::uuid[]) as k (organization_id, key)
  where organization_id = any (:scope_organizations) order by organization_id, key
  on conflict do nothing returning organization_id, key`

/** Returns which events are new: those without an external id, and the first with each external id. */
async function claimKeys(sql: ScopedSql, events: readonly ResolvedEvent[]): Promise<boolean[]> {
  const first = new Map<string, { index: number; organizationId: string; key: string }>()
  for (const [index, { organizationId, externalId }] of events.entries()) {
    if (externalId === null) continue
    const key = hashExternalId(externalId)
    const name = `${organizationId} ${key}`
    if (!first.has(name)) first.set(name, { index, organizationId, key })
  }
  const claimed = first.size > 0 ? await insertNewKeys(sql, [...first.values()]) : []
  const isNew = events.map(({ externalId }) => externalId === null)
  for (const { organization_id, key } of claimed) isNew[first.get(`${organization_id} ${key}`)?.index as number] = true
  return isNew
}

async function insertNewKeys(sql: ScopedSql, keys: readonly { organizationId: string; key: string }[]) {
  return sql<{ organization_id: string; key: string }>('events.claim-keys', insertKeys, {
    organizations: keys.map(({ organizationId }) => organizationId),
    keys: keys.map(({ key }) => key),
  })
}

/** Returns the first 128 bits of the SHA-256 in the notation of a UUID, which PostgreSQL stores in 16 bytes. */
function hashExternalId(externalId: string): string {
  const hash = createHash('sha256').update(externalId).digest('hex')
  return `${hash.slice(0, 8)}-${hash.slice(8, 12)}-${hash.slice(12, 16)}-${hash.slice(16, 20)}-${hash.slice(20, 32)}`
}

const insert = `
  insert into usage_events (organization_id, owner_id, occurred_at, external_id, name, source, metadata)
  select organization_id, owner_id, occurred_at, external_id, name, 'user', metadata
  from unnest(:organizations::uuid[], :owners::uuid[], :times::timestamptz[], :external_ids::text[], :names::text[], :metadata::jsonb[])
    as e (organization_id, owner_id, occurred_at, external_id, name, metadata)
  where organization_id = any (:scope_organizations)`

async function insertEvents(sql: ScopedSql, events: readonly (ResolvedEvent & { ownerId: string })[]): Promise<void> {
  if (events.length === 0) return
  await sql('events.insert', insert, {
    organizations: events.map(({ organizationId }) => organizationId),
    owners: events.map(({ ownerId }) => ownerId),
    times: events.map(({ occurredAt }) => occurredAt),
    external_ids: events.map(({ externalId }) => externalId),
    names: events.map(({ name }) => name),
    metadata: events.map(({ metadata }) => metadata),
  })
}
