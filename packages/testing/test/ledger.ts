import { event } from '@quittance/contracts/event'
import { operation } from '@quittance/contracts/operation'
import { Conflict } from '@quittance/contracts/errors'
import { command, consumer, copyConsumer, type Transaction } from '@quittance/runtime/handler'
import { consumerPositionsTable } from '@quittance/runtime/consumer-positions'
import { idempotencyTable, slimIdempotencyIndexes } from '@quittance/runtime/idempotency'
import { parkedMessagesTable } from '@quittance/runtime/parked-messages'
import { migration } from '@quittance/runtime/schema'
import { dropOutboxTrigger, messagingTables, slimOutboxIndexes } from '@quittance/runtime/outbox'
import type { Service } from '@quittance/runtime/service'
import { z } from 'zod'

/**
 * A minimal service that demonstrates the guarantees of the runtime: it notes entries, publishes them as events, and consumes its own
 * events.
 */
export const entryNoted = event({
  subject: 'event.entry.noted',
  publisher: 'orders',
  webhookType: null,
  summary: 'An entry was noted.',
  payload: z.object({ account: z.uuid(), position: z.int() }),
})

/** Notes `count` entries of an account in one transaction; `fails` makes it throw after the last one. */
export const noteEntries = operation({
  subject: 'orders.entry.note',
  summary: 'Note entries',
  http: { method: 'POST', path: '/v1/entries/', status: 200, scopes: [], callers: ['organization'] },
  request: z.object({ account: z.uuid(), first: z.int(), count: z.int(), fails: z.boolean().default(false) }),
  reply: z.object({ noted: z.int() }),
  errors: [Conflict],
})

interface Ledger {
  /** Awaited before anything is noted, in the transaction that notes it. */
  beforeNote?(transaction: Transaction, account: string): Promise<unknown>
  /** Runs when an entry is consumed, before it is stored; throws to fail. */
  onEntry?(position: number, transaction: Transaction): Promise<void> | void
  /** Whether entries that arrive together are handled together. */
  isCopy?: boolean
}

const note = ({ beforeNote }: Ledger) =>
  command(noteEntries, async ({ account, first, count, fails }, transaction) => {
    await beforeNote?.(transaction, account)
    for (let position = first; position < first + count; position++) {
      transaction.publish({ event: entryNoted, aggregateId: account, organizationId: null, payload: { account, position } })
    }
    if (fails) throw new Conflict('on purpose')
    return { noted: count }
  })

/** Condition that every scope meets: the rows of these tests belong to no organization. */
export const anyScope = ':scope_organizations::uuid[] is not null'

const entries = { durable: 'orders-entries', service: 'orders', subject: 'event.entry.*' } as const

export function ledger({ onEntry, beforeNote, isCopy = false }: Ledger = {}): Service {
  const store = async ({ payload }: { payload: { account: string; position: number } }, transaction: Transaction) => {
    await onEntry?.(payload.position, transaction)
    await transaction.sql(
      'handled-entries.add',
      `insert into handled_entries (account, position) select :account::uuid, :position::int where ${anyScope}`,
      payload,
    )
  }
  return {
    name: 'orders',
    database: {
      entities: [],
      migrations: [
        migration('20260101000000-ledger', [
          ...messagingTables,
          ...idempotencyTable,
          ...dropOutboxTrigger,
          ...slimOutboxIndexes,
          ...slimIdempotencyIndexes,
          ...parkedMessagesTable,
          ...consumerPositionsTable,
          `create table handled_entries (number bigint generated always as identity primary key, account uuid not null, position integer not null)`,
        ]),
      ],
    },
    handlers: [note({ ...(beforeNote && { beforeNote }) })],
    consumers: [
      isCopy
        ? copyConsumer(entries, [entryNoted], async (messages, transaction) => {
            for (const message of messages) await store(message, transaction)
          })
        : consumer(entries, [entryNoted], store),
    ],
  }
}
