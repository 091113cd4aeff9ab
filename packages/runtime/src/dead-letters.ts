import type { Caller } from '@quittance/contracts/caller'
import { deadLetterOperations, type DeadLetter } from '@quittance/contracts/dead-letters'
import { NotPermitted } from '@quittance/contracts/errors'
import { headers } from '@quittance/contracts/headers'
import type { ServiceName } from '@quittance/contracts/services'
import type { Database } from './database.ts'
import { gaugeOf } from './health.ts'
import { query, type Consumer, type EventMessage, type Handler, type UnitContext } from './handler.ts'
import { continueTrace } from './trace.ts'
import { actingFor, runInTransaction } from './transaction.ts'

interface Answering {
  service: ServiceName
  consumers: readonly Consumer[]
  database: Database
}

interface Letter {
  id: string
  consumer: string
  message_id: string | null
  subject: string
  headers: Record<string, string>
  payload: Buffer
  reason: string
  created_at: Date
}

const columns = 'id, consumer, message_id, subject, headers, payload, reason, created_at'
const list = `select ${columns} from dead_letters order by created_at, id limit :limit`
const count = `select count(*)::int as total from dead_letters`
const find = `select ${columns} from dead_letters where :ids::uuid[] is null or id = any (:ids::uuid[]) order by created_at, id limit 500`
const take = `delete from dead_letters where id = :id returning id`
const enterInbox = `insert into inbox_messages (consumer, message_id) values (:consumer, :id) on conflict do nothing returning 1`
const noteReason = `update dead_letters set reason = :reason where id = :id`

/** What the chassis answers for every service that hears events: its dead letters, for the operator alone. */
export function deadLetterHandlers({ service, consumers, database }: Answering): Handler[] {
  if (!(service in deadLetterOperations) || consumers.length === 0) return []
  const operations = deadLetterOperations[service as keyof typeof deadLetterOperations]
  return [
    query(operations.list, async ({ limit }, { rows, caller }) => {
      demandOperator(caller)
      const letters = await rows<Letter>('dead-letters.list', list, { limit })
      const [counted] = await rows<{ total: number }>('dead-letters.count', count)
      return { dead_letters: letters.map(describe), total_count: counted?.total ?? 0 }
    }),
    query(operations.replay, async ({ ids }, { rows, caller, now, log, traceparent }) => {
      demandOperator(caller)
      const handled: string[] = []
      const failed: { id: string; reason: string }[] = []
      for (const letter of await rows<Letter>('dead-letters.find', find, { ids })) {
        try {
          await replay(letter, { consumers, database, unit: { now, log, traceparent: letter.headers[headers.traceparent] ?? traceparent } })
          handled.push(letter.id)
        } catch (error) {
          await rows('dead-letters.note-reason', noteReason, { id: letter.id, reason: String(error) })
          failed.push({ id: letter.id, reason: String(error) })
        }
      }
      log.info({ handled: handled.length, failed: failed.length }, 'dead-letters.replayed')
      return { handled, failed }
    }),
  ]
}

/** Shows how many wait for the operator; at every replica the same, so alerts take the highest. */
export function watchDeadLetters({ pool }: Database): void {
  gaugeOf('dead_letters', 'Events that a consumer of this service could not handle in any try.', {
    async collect(gauge) {
      const { rows } = await pool.query<{ total: number }>(count)
      gauge.set(rows[0]?.total ?? 0)
    },
  })
}

function demandOperator({ kind }: Caller): void {
  if (kind !== 'operator') throw new NotPermitted('Only the operator sees dead letters.')
}

function describe({ id, created_at, consumer, subject, message_id, headers: carried, reason }: Letter): DeadLetter {
  return {
    id,
    created_at: new Date(created_at).toISOString(),
    consumer,
    subject,
    message_id,
    organization_id: carried[headers.organization] ?? null,
    trace_id: carried[headers.traceparent]?.slice(3, 35) ?? null,
    reason,
  }
}

/** In one transaction with what it causes, like the first time: handled and gone, or neither. Handled meanwhile, it is only gone. */
async function replay(
  letter: Letter,
  { consumers, database, unit }: Pick<Answering, 'consumers' | 'database'> & { unit: UnitContext },
): Promise<void> {
  const consumer = consumers.find(({ subscription }) => subscription.durable === letter.consumer)
  if (!consumer) throw new Error(`Nobody here hears as ${letter.consumer} any more`)
  const message = messageOf(letter, consumer)
  const caller: Caller = message.organizationId ? actingFor(message.organizationId) : { kind: 'anonymous' }
  await runInTransaction(database, { caller, unit }, async (transaction) => {
    const taken = await transaction.rows('dead-letter.take', take, { id: letter.id })
    if (taken.length === 0) return
    const entered = await transaction.rows('inbox.enter-one', enterInbox, { consumer: letter.consumer, id: message.id })
    if (entered.length > 0) await consumer.run([message], transaction)
  })
}

function messageOf({ message_id: id, subject, headers: carried, payload }: Letter, { events }: Consumer): EventMessage {
  const event = events.find((candidate) => candidate.subject === subject)
  const aggregateId = carried[headers.aggregate]
  const occurredAt = carried[headers.occurredAt]
  if (!event) throw new Error(`${subject} is not listened to any more`)
  if (!id || !aggregateId || !occurredAt) throw new Error('It came without an id, an aggregate or a time')
  const payloadText = payload.toString()
  return {
    id,
    event,
    payload: JSON.parse(payloadText),
    payloadText,
    aggregateId,
    organizationId: carried[headers.organization] ?? null,
    traceparent: continueTrace(carried[headers.traceparent]),
    occurredAt: new Date(occurredAt),
  }
}
