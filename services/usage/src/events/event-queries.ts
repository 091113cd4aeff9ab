import { RequestValidationError } from '@quittance/contracts/errors'
import {
  getUsageEvent as getContract,
  listUsageEventNames as listNamesContract,
  listUsageEvents as listContract,
  type UsageEvent,
  type UsageEventName,
} from '@quittance/contracts/usage-events'
import { query } from '@quittance/runtime/handler'
import { buildSortOrder, buildWhere, metadataFilter, toArray } from '@quittance/sql/list-query'
import type { View } from '@quittance/sql/view'

const eventView: View<UsageEvent> = {
  name: 'usage-event',
  organization: 'e.organization_id',
  from: 'usage_events e',
  key: 'e.id',
  lookupJoins: `join owners o on o.id = e.owner_id left join customers c on c.id = o.customer_id`,
  columns: `e.id, e.occurred_at as timestamp, e.organization_id, o.customer_id, c.document as customer, o.external_id as external_customer_id,
    e.external_id, e.name, e.name as label, e.source, e.metadata`,
}

export const getUsageEvent = query(getContract, ({ id }, { read }) => read.one(eventView, { where: 'e.id = :id', values: { id } }))

/** Events of owners; owners of other organizations have no events that the caller may see. */
const ofOwners = (condition: string) => `e.owner_id = any(array(select w.id from owners w where ${condition}))`

export const listUsageEvents = query(listContract, ({ page, limit, ...request }, { read }) => {
  if (request.meter_id !== undefined) throw createQueryError('meter_id', 'Meter not found.')
  if (request.filter !== undefined) throw createQueryError('filter', 'Filters are not supported yet. Use name, source or metadata.')
  if (request.parent_id !== undefined) throw createQueryError('parent_id', 'Event not found.')
  return read.page(eventView, {
    ...buildWhere({
      organization_id: { sql: 'e.organization_id = any(:organization_id)', value: toArray(request.organization_id) },
      customer_id: { sql: ofOwners('w.customer_id = any(:customer_id)'), value: toArray(request.customer_id) },
      external_customer_id: { sql: ofOwners('w.external_id = any(:external_customer_id)'), value: toArray(request.external_customer_id) },
      name: { sql: 'e.name = any(:name)', value: toArray(request.name) },
      source: { sql: 'e.source = any(:source)', value: toArray(request.source) },
      start_timestamp: { sql: 'e.occurred_at > :start_timestamp', value: request.start_timestamp },
      end_timestamp: { sql: 'e.occurred_at < :end_timestamp', value: request.end_timestamp },
      query: { sql: 'strpos(lower(e.name), lower(:query)) > 0', value: request.query },
      metadata: metadataFilter('e.metadata', request.metadata),
    }),
    orderBy: buildSortOrder({ timestamp: 'e.occurred_at' }, { sorting: request.sorting, tieBreakers: ['e.id'] }),
    page,
    limit,
  })
})

function createQueryError(key: string, msg: string): RequestValidationError {
  return new RequestValidationError([{ loc: ['query', key], msg, type: 'value_error' }])
}

/** One row for each name; the parameters of customers are bound also where they are not filtered by. */
const nameView: View<UsageEventName> = {
  name: 'usage-event-name',
  organization: 'n.organization_id',
  from: `(
    select e.organization_id, e.name, e.source, count(*) as occurrences, min(e.occurred_at) as first_seen, max(e.occurred_at) as last_seen
    from usage_events e
    where (:customer_ids::uuid[] is null or e.owner_id = any(array(select w.id from owners w where w.customer_id = any(:customer_ids::uuid[]))))
      and (:external_ids::text[] is null or e.owner_id = any(array(select w.id from owners w where w.external_id = any(:external_ids::text[]))))
    group by e.organization_id, e.name, e.source) n`,
  columns: 'n.name, n.name as label, n.source, n.occurrences, n.first_seen, n.last_seen',
}

const nameColumns = { name: 'n.name', occurrences: 'n.occurrences', first_seen: 'n.first_seen', last_seen: 'n.last_seen' }

export const listUsageEventNames = query(listNamesContract, ({ page, limit, ...request }, { read }) => {
  const filters = buildWhere({
    organization_id: { sql: 'n.organization_id = any(:organization_id)', value: toArray(request.organization_id) },
    source: { sql: 'n.source = any(:source)', value: toArray(request.source) },
    query: { sql: 'strpos(lower(n.name), lower(:query)) > 0', value: request.query },
  })
  const owners = { customer_ids: toArray(request.customer_id) ?? null, external_ids: toArray(request.external_customer_id) ?? null }
  return read.page(nameView, {
    ...filters,
    values: { ...filters.values, ...owners },
    orderBy: buildSortOrder(nameColumns, { sorting: request.sorting, tieBreakers: ['n.name', 'n.source', 'n.organization_id'] }),
    page,
    limit,
  })
})
