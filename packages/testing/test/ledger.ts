import { event } from '@quittance/contracts/event'
import { operation } from '@quittance/contracts/operation'
import { Conflict } from '@quittance/contracts/errors'
import { command, consumer, type Transaction } from '@quittance/runtime/handler'
import { idempotencyTable, lighterReplies } from '@quittance/runtime/idempotency'
import { migration } from '@quittance/runtime/migration'
import { lighterOutbox, messagingTables, narrowOutbox } from '@quittance/runtime/outbox'
import type { Service } from '@quittance/runtime/service'
import { z } from 'zod'

/** A service of a few lines that shows what the chassis promises: it notes entries, tells of them, and hears itself. */
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
  /** Waited for before anything is noted, in the transaction that notes it. */
  beforeNote?(transaction: Transaction): Promise<unknown>
  /** What hearing an entry does besides writing it down; throws to fail. */
  onHear?(position: number, transaction: Transaction): Promise<void> | void
}

const note = ({ beforeNote }: Ledger) =>
  command(noteEntries, async ({ account, first, count, fails }, transaction) => {
    await beforeNote?.(transaction)
    for (let position = first; position < first + count; position++) {
      transaction.publish({ event: entryNoted, aggregateId: account, organizationId: null, payload: { account, position } })
    }
    if (fails) throw new Conflict('on purpose')
    return { noted: count }
  })

export function ledger({ onHear, beforeNote }: Ledger = {}): Service {
  return {
    name: 'orders',
    database: {
      entities: [],
      migrations: [
        migration('20260101000000-ledger', [
          ...messagingTables,
          ...idempotencyTable,
          ...lighterOutbox,
          ...narrowOutbox,
          ...lighterReplies,
          `create table heard (number bigint generated always as identity primary key, account uuid not null, position integer not null)`,
        ]),
      ],
    },
    handlers: [note({ ...(beforeNote && { beforeNote }) })],
    consumers: [
      consumer(
        { durable: 'orders-entries', service: 'orders', subject: 'event.entry.*' },
        [entryNoted],
        async ({ payload }, transaction) => {
          await onHear?.(payload.position, transaction)
          await transaction.rows('heard.add', 'insert into heard (account, position) values (:account, :position)', payload)
        },
      ),
    ],
  }
}
