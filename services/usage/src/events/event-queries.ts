import { RequestValidationError } from '@quittance/contracts/errors'
import {
  getUsageEvent as getContract,
  listUsageEventNames as listNamesContract,
  listUsageEvents as listContract,
  type UsageEvent,
  type UsageEventName,
} from '@quittance/contracts/usage-events'
import type { RequestOf } from '@quittance/contracts/operation'
import { query } from '@quittance/runtime/handler'
import { buildSortOrder, buildWhere, toArray, type Filter } from '@quittance/sql/list-query'
import { metadataFilter } from '@quittance/sql/metadata-filter'
import type { ScopedSql } from '@quittance/sql/sql-runner'
import type { View } from '@quittance/sql/view'

const eventView: View<UsageEvent> = {
  name: 'usage-event',
  organization: 'e.organization_id',
  from: 'usage_events e',
  key: 'e.id',
  lookupJoins: `join owners o on o.id = e.owner_id left join customers c on c.id = o.customer_id`,
  counter: { list: 'usage_events', time: 'e.occurred_at', groups: { name: ['name', 'source', 'query'] } },
  columns: `e.id, e.occurred_at as timestamp, e.organization_id, o.customer_id, c.document as customer, o.external_id as external_customer_id,
    e.external_id, e.name, e.name as label, e.source, e.metadata`,
}

export const getUsageEvent = query(getContract, ({ id }, { read }) => read.one(eventView, { where: 'e.id = :id', values: { id } }))

export const listUsageEvents = query(listContract, async ({ page, limit, ...request }, { read, sql }) => {
  if (request.meter_id !== undefined) throw createQueryError('meter_id', 'Meter not found.')
  if (request.filter !== undefined) throw createQueryError('filter', 'Filters are not supported yet. Use name, source or metadata.')
  if (request.parent_id !== undefined) throw createQueryError('parent_id', 'Event not found.')
  return read.page(eventView, {
    ...buildWhere({
      organization_id: { sql: 'e.organization_id = any(:organization_id)', value: toArray(request.organization_id) },
      owner: { sql: 'e.owner_id = any(:owner)', value: await findOwners(sql, request), isPlanSensitive: true },
      name: { sql: 'e.name = any(:name)', value: toArray(request.name), isPlanSensitive: true },
      source: { sql: 'e.source = any(:source)', value: toArray(request.source) },
      start_timestamp: { sql: 'e.occurred_at > :start_timestamp', value: request.start_timestamp },
      end_timestamp: { sql: 'e.occurred_at < :end_timestamp', value: request.end_timestamp },
      query: await matchNames(sql, request),
      metadata: metadataFilter('e.metadata', request.metadata),
    }),
    orderBy: buildSortOrder({ timestamp: 'e.occurred_at' }, { sorting: request.sorting, tieBreakers: ['e.id'] }),
    page,
    limit,
  })
})

const ownersOfCustomers = `select id from owners where organization_id = any (:scope_organizations) and customer_id = any (:ids::uuid[])`
const ownersOfExternalIds = `select id from owners where organization_id = any (:scope_organizations) and external_id = any (:ids::text[])`

type OwnerFilters = Pick<RequestOf<typeof listContract>, 'customer_id' | 'external_customer_id'>

/**
 * Returns the ids of the owners that a request names; undefined if it names none. They are found first, because PostgreSQL plans a list for
 * ids that it knows: by the index of few owners, or in the order of the list.
 */
async function findOwners(sql: ScopedSql, request: OwnerFilters): Promise<string[] | undefined> {
  const [customers, externals] = [toArray(request.customer_id), toArray(request.external_customer_id)]
  const ofCustomers = customers && toIds(await sql<{ id: string }>('owners.of-customers', ownersOfCustomers, { ids: customers }))
  const ofExternalIds = externals && toIds(await sql<{ id: string }>('owners.of-external-ids', ownersOfExternalIds, { ids: externals }))
  return ofCustomers && ofExternalIds ? ofCustomers.filter((id) => ofExternalIds.includes(id)) : (ofCustomers ?? ofExternalIds)
}

const toIds = (rows: readonly { id: string }[]) => rows.map(({ id }) => id)

/** Names up to which a list is searched by them; an installation with more has the ids of something in its names. */
const maxNames = 100

const matchingNames = `
  select array(
    select distinct name from event_names
    where organization_id = any (:scope_organizations) and (:query::text is null or strpos(lower(name), lower(:query)) > 0)
      and (:sources::text[] is null or source = any (:sources::text[]))
    limit ${maxNames + 1}) as names`

type NameFilters = Pick<RequestOf<typeof listContract>, 'query' | 'source'>

/** Returns the condition of events with a matching name: of the names themselves, so that PostgreSQL knows how many events it reads. */
async function matchNames(sql: ScopedSql, { query: text, source }: NameFilters): Promise<Filter> {
  if (text === undefined && source === undefined) return { sql: '', value: undefined }
  const [found] = await sql<{ names: string[] }>('event-names.match', matchingNames, {
    query: text ?? null,
    sources: toArray(source) ?? null,
  })
  const names = found?.names ?? []
  if (names.length <= maxNames) return { sql: 'e.name = any(:query)', value: names, isPlanSensitive: true }
  return { sql: 'strpos(lower(e.name), lower(:query)) > 0', value: text }
}

function createQueryError(key: string, msg: string): RequestValidationError {
  return new RequestValidationError([{ loc: ['query', key], msg, type: 'value_error' }])
}

/** One row for each name of all organizations that a request selects, from the counters. */
const nameView: View<UsageEventName> = {
  name: 'usage-event-name',
  organization: 'n.organization_id',
  from: 'event_names n',
  groupBy: 'n.name, n.source',
  columns: `n.name, n.name as label, n.source, sum(n.occurrences)::bigint as occurrences, min(n.first_seen) as first_seen, max(n.last_seen) as last_seen`,
}

/** One row for each name of some owners, from their events. */
const ownedNameView: View<UsageEventName> = {
  ...nameView,
  name: 'usage-event-name-of-owners',
  from: 'usage_events n',
  columns: `n.name, n.name as label, n.source, count(*) as occurrences, min(n.occurred_at) as first_seen, max(n.occurred_at) as last_seen`,
}

/** Columns of the reply: those of the views are aggregates. */
const nameColumns = { name: 'name', occurrences: 'occurrences', first_seen: 'first_seen', last_seen: 'last_seen' }

export const listUsageEventNames = query(listNamesContract, async ({ page, limit, ...request }, { read, sql }) => {
  const owners = await findOwners(sql, request)
  const { where, values } = buildWhere({
    organization_id: { sql: 'n.organization_id = any(:organization_id)', value: toArray(request.organization_id) },
    owner: { sql: 'n.owner_id = any(:owner)', value: owners },
    source: { sql: 'n.source = any(:source)', value: toArray(request.source) },
    query: { sql: 'strpos(lower(n.name), lower(:query)) > 0', value: request.query },
  })
  const orderBy = buildSortOrder(nameColumns, { sorting: request.sorting, tieBreakers: ['name', 'source'] })
  return read.page(owners ? ownedNameView : nameView, { where, values, orderBy, page, limit })
})
