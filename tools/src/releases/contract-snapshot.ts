import type { ErrorClass } from '@quittance/contracts/errors'
import type { Event } from '@quittance/contracts/event'
import type { HttpBinding, Operation } from '@quittance/contracts/operation'
import type { DurableConsumer } from '@quittance/contracts/streams'
import { z } from 'zod'
import type { Schema } from './compare-schemas.ts'

/** The promises of the contracts, without the code that describes them: stored per release, and compared with today's. */
export interface ContractSnapshot {
  operations: Record<string, OperationSnapshot>
  events: Record<string, EventSnapshot>
  /** Durable consumers by name. */
  subscriptions: Record<string, { service: string; subject: string }>
  /** NATS headers by content. */
  headers: Record<string, string>
  /** Named schemas that the others refer to, as sent (`input`) and as returned (`output`). */
  schemas: Record<'input' | 'output', Record<string, Schema>>
}

export interface OperationSnapshot {
  http: HttpBinding | null
  request: Schema
  reply: Schema
  /** Name and status of each declared error. */
  errors: Record<string, number>
}

export interface EventSnapshot {
  publisher: string
  webhookType: string | null
  payload: Schema
}

/** Exports of a contracts package: `registry.ts`, `streams.ts` and `headers.ts`. */
export interface Contracts {
  operations: readonly Operation[]
  events: readonly Event[]
  subscriptions: Readonly<Record<string, DurableConsumer>>
  headers: Readonly<Record<string, string>>
}

export function createSnapshot({ operations, events, subscriptions, headers }: Contracts): ContractSnapshot {
  const schemas: ContractSnapshot['schemas'] = { input: {}, output: {} }
  const written = (schema: z.ZodType, io: 'input' | 'output') => toSchema(schema, { io, named: schemas[io] })
  return {
    operations: byName(operations, ({ subject, http, request, reply, errors }) => [
      subject,
      {
        http: http ?? null,
        request: written(request, 'input'),
        reply: written(reply, 'output'),
        errors: byName(errors, (error) => [error.name, readStatus(error)]),
      },
    ]),
    events: byName(events, ({ subject, publisher, webhookType, payload }) => [
      subject,
      { publisher, webhookType, payload: written(payload, 'output') },
    ]),
    subscriptions: byName(Object.values(subscriptions), ({ durable, service, subject }) => [durable, { service, subject }]),
    headers: { ...headers },
    schemas,
  }
}

/** Sorted, so that a release differs from the previous one only where something changed. */
function byName<Item, Kept>(items: readonly Item[], entry: (item: Item) => [string, Kept]): Record<string, Kept> {
  return Object.fromEntries(items.map(entry).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

/** Descriptions for readers: changing them breaks nothing. */
const words = new Set(['description', 'deprecated', 'examples', 'title', '$schema', 'x-deprecated-since'])

function toSchema(schema: z.ZodType, { io, named }: { io: 'input' | 'output'; named: Record<string, Schema> }): Schema {
  const { $defs, ...own } = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Schema & { $defs?: Record<string, Schema> }
  for (const [name, definition] of Object.entries($defs ?? {})) named[name] = withoutWords(definition)
  return withoutWords(own)
}

function withoutWords(schema: Schema): Schema {
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([keyword]) => !words.has(keyword))
      .map(([keyword, value]) => [keyword, keyword === 'properties' ? eachWithoutWords(value as Schema) : nested(value)]),
  )
}

/** Property names are not keywords: a property may be called `description`. */
function eachWithoutWords(properties: Schema): Schema {
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, withoutWords(schema as Schema)]))
}

function nested(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(nested)
  return typeof value === 'object' && value !== null ? withoutWords(value as Schema) : value
}

/** Returns the status of an error class. Every class sets it in the instance; one that requires a list gets an empty one. */
function readStatus(error: ErrorClass): number {
  const make = error as unknown as new (...parameters: unknown[]) => { status: number }
  return new make(error.name === 'RequestValidationError' ? [] : '', 1).status
}
