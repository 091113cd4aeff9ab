import { z } from 'zod'
import { Customer } from './customers.ts'
import { RequestValidationError, ResourceNotFound } from './errors.ts'
import { Id, OrganizationIdInput, oneOrMany, Timestamp } from './identifiers.ts'
import { Metadata, MetadataFilter } from './metadata.ts'
import { operation } from './operation.ts'
import { ListReply, pageRequest, sorting } from './pagination.ts'

/** `user` events are sent by the seller; `system` events are recorded by Quittance itself. */
export const UsageEventSource = z.enum(['system', 'user'])

/** Something that a customer used, or did, at a time. */
export const UsageEvent = z
  .object({
    id: Id,
    timestamp: Timestamp,
    organization_id: Id,
    customer_id: Id.nullable(),
    customer: Customer.nullable().describe('Null if no customer has the external id, or the customer was deleted.'),
    external_customer_id: z.string().nullable(),
    external_id: z.string().nullable().describe('Your id of the event.'),
    name: z.string(),
    label: z.string().describe('Same as the name. Clients of later versions require it.'),
    source: UsageEventSource,
    metadata: Metadata,
  })
  .meta({ id: 'UsageEvent' })
export type UsageEvent = z.infer<typeof UsageEvent>

/** A name of usage events, with how often and when it occurred. */
export const UsageEventName = z
  .object({
    name: z.string(),
    label: z.string(),
    source: UsageEventSource,
    occurrences: z.int(),
    first_seen: Timestamp,
    last_seen: Timestamp,
  })
  .meta({ id: 'UsageEventName' })
export type UsageEventName = z.infer<typeof UsageEventName>

/** Maximum number of events of one request. */
export const maxUsageEvents = 1_000

const maxMetadataKeys = 50
const metadataKey = z.string().min(1).max(40)
const metadataValue = z.union([z.string().min(1).max(500), z.number().min(-1e18).max(1e18), z.boolean()])

/** Metadata of a usage event: like that of other objects, and objects of values, which are stored flat: `{a: {b: 1}}` as `{'a.b': 1}`. */
const UsageMetadataInput = z
  .record(metadataKey, z.union([metadataValue, z.record(metadataKey, metadataValue)]))
  .superRefine((metadata, context) => {
    const keys = new Set<string>()
    for (const { path, key } of flatten(metadata)) {
      if (keys.has(key)) context.addIssue({ code: 'custom', path, message: `Another key is stored as ${JSON.stringify(key)} too.` })
      keys.add(key)
    }
    if (keys.size > maxMetadataKeys) context.addIssue({ code: 'custom', message: `At most ${maxMetadataKeys} keys.` })
  })
  .transform((metadata): Metadata => Object.fromEntries(flatten(metadata).map(({ key, value }) => [key, value])))
  .meta({ id: 'UsageMetadataInput' })

type MetadataValue = Metadata[string]

function flatten(metadata: Readonly<Record<string, MetadataValue | Record<string, MetadataValue>>>) {
  return Object.entries(metadata).flatMap(([key, value]) =>
    typeof value === 'object'
      ? Object.entries(value).map(([inner, item]) => ({ path: [key, inner], key: `${key}.${inner}`, value: item }))
      : [{ path: [key], key, value }],
  )
}

/** A usage event as sent. */
export const UsageEventInput = z
  .object({
    name: z.string().min(1).max(128).describe('what happened, for example `tokens.used`.'),
    timestamp: Timestamp.nullish().describe('When it happened; missing: now. At most 5 minutes ahead, which is stored as now.'),
    organization_id: OrganizationIdInput,
    customer_id: Id.nullish().describe('the customer. This or external_customer_id is required; this one counts if both are sent.'),
    external_customer_id: z
      .string()
      .min(1)
      .max(200)
      .nullish()
      .describe('Your id of the customer, who may be created later: the events are then theirs.'),
    external_id: z
      .string()
      .min(1)
      .max(200)
      .nullish()
      .describe('Your id of the event: a second event with it is not stored and counts as a duplicate.'),
    metadata: UsageMetadataInput.prefault({}),
  })
  .superRefine(({ customer_id, external_customer_id }, context) => {
    if (customer_id || external_customer_id) return
    context.addIssue({ code: 'custom', path: ['customer_id'], message: 'customer_id or external_customer_id is required.' })
  })
  .meta({ id: 'UsageEventInput', example: { name: 'tokens.used', external_customer_id: 'reader-1', metadata: { tokens: 523 } } })
export type UsageEventInput = z.output<typeof UsageEventInput>

export const ingestUsageEvents = operation({
  subject: 'usage.event.ingest',
  summary: 'Send usage events; all of them are stored, or none. Repeat a request with its Idempotency-Key',
  http: {
    method: 'POST',
    path: '/v1/events/ingest',
    status: 200,
    scopes: ['events:write'],
    callers: ['organization', 'user'],
    bodyLimitBytes: 2 * 1024 * 1024,
  },
  request: z.object({ events: z.array(UsageEventInput).max(maxUsageEvents) }),
  reply: z
    .object({ inserted: z.int(), duplicates: z.int().describe('Events whose external_id was known.') })
    .meta({ id: 'UsageEventsIngested' }),
  errors: [RequestValidationError],
})

const reading = { status: 200, scopes: ['events:read', 'events:write'], callers: ['organization', 'user'] } as const
const externalCustomerId = z.string().max(200)

export const listUsageEvents = operation({
  subject: 'usage.event.list',
  summary: 'List usage events',
  http: { method: 'GET', path: '/v1/events/', ...reading },
  request: z.object({
    ...pageRequest,
    filter: z.string().max(10_000).optional().describe('Reserved for filters of meters: not accepted yet.'),
    start_timestamp: Timestamp.optional().describe('Only events after this time.'),
    end_timestamp: Timestamp.optional().describe('Only events before this time.'),
    organization_id: oneOrMany(Id),
    customer_id: oneOrMany(Id),
    external_customer_id: oneOrMany(externalCustomerId),
    meter_id: Id.optional().describe('Only events that a meter counts. There are no meters yet.'),
    name: oneOrMany(z.string().max(128)),
    source: oneOrMany(UsageEventSource),
    query: z.string().max(200).optional().describe('Part of the name.'),
    parent_id: Id.optional().describe('Only events below this one. No event has a parent.'),
    metadata: MetadataFilter,
    sorting: sorting(['timestamp'], '-timestamp'),
  }),
  reply: ListReply(UsageEvent),
  errors: [RequestValidationError],
})

export const listUsageEventNames = operation({
  subject: 'usage.event.list-names',
  summary: 'List the names of usage events, with how often they occurred',
  http: { method: 'GET', path: '/v1/events/names', ...reading },
  request: z.object({
    ...pageRequest,
    organization_id: oneOrMany(Id),
    customer_id: oneOrMany(Id),
    external_customer_id: oneOrMany(externalCustomerId),
    source: oneOrMany(UsageEventSource),
    query: z.string().max(128).optional().describe('Part of the name, in any case.'),
    sorting: sorting(['name', 'occurrences', 'first_seen', 'last_seen'], '-last_seen'),
  }),
  reply: ListReply(UsageEventName),
  errors: [],
})

export const getUsageEvent = operation({
  subject: 'usage.event.get',
  summary: 'Get a usage event',
  http: { method: 'GET', path: '/v1/events/{id}', ...reading },
  request: z.object({ id: Id }),
  reply: UsageEvent,
  errors: [ResourceNotFound],
})
