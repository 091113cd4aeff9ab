import type { Caller } from '@quittance/contracts/caller'
import { deadLetterOperations, type DeadLetter } from '@quittance/contracts/dead-letters'
import { NotPermitted } from '@quittance/contracts/errors'
import { headers } from '@quittance/contracts/headers'
import type { BusServiceName } from '@quittance/contracts/services'
import type { EventTrust } from '../bus/event-signature.ts'
import type { Database } from '../database/database.ts'
import { gauge } from '../process/metrics.ts'
import type { Consumer, Handler, WorkContext } from '../handlers/handler.ts'
import { systemQuery } from '../handlers/system-handler.ts'
import { assertAuthentic, fromStored, readEvent, withoutNul } from './incoming-event.ts'
import { continueTrace } from '../process/tracing.ts'
import { bindValues, statement } from '@quittance/sql/statement'
import { addSystemAccess, runInTransaction, systemCaller } from '../handlers/transaction.ts'

interface DeadLetterOptions extends EventTrust {
  service: BusServiceName
  consumers: readonly Consumer[]
  database: Database
}

interface DeadLetterRow {
  id: string
  consumer: string
  message_id: string | null
  subject: string
  headers: Record<string, string>
  reason: string
  created_at: string
}

// A payload may have several megabytes, so only one is read at a time.
const columns = 'id, consumer, message_id, subject, headers, reason, created_at'
const list = `select ${columns} from dead_letters order by created_at, id limit :limit`
const count = `select count(*)::int as total from dead_letters`
const findIds = `select id from dead_letters where :ids::uuid[] is null or id = any (:ids::uuid[]) order by created_at, id limit 10000`
const find = `select ${columns}, payload from dead_letters where id = :id`
const deleteOne = statement('dead-letter.delete', `delete from dead_letters where id = :id returning id`)
const insertInbox = statement(
  'inbox.enter-one',
  `insert into inbox_messages (consumer, message_id) values (:consumer, :id) on conflict do nothing returning 1`,
)
const updateReason = `update dead_letters set reason = :reason where id = :id`

const forOperator = 'the operator reads and replays events of all organizations'

/** Handlers for the dead letters of every service that consumes events, for the operator only. */
export function deadLetterHandlers({ service, ...options }: DeadLetterOptions): Handler[] {
  if (!(service in deadLetterOperations) || options.consumers.length === 0) return []
  const operations = deadLetterOperations[service as keyof typeof deadLetterOperations]
  return [
    systemQuery(operations.list, { reason: forOperator }, async ({ limit }, { systemSql, caller }) => {
      requireOperator(caller)
      const deadLetters = await systemSql<DeadLetterRow>('dead-letters.list', list, { limit })
      const [countRow] = await systemSql<{ total: number }>('dead-letters.count', count)
      return { dead_letters: deadLetters.map(toDeadLetter), total_count: countRow?.total ?? 0 }
    }),
    systemQuery(operations.replay, { reason: forOperator }, async ({ ids }, { systemSql, caller, now, log, traceparent }) => {
      requireOperator(caller)
      const handled: string[] = []
      const failed: { id: string; reason: string }[] = []
      for (const { id } of await systemSql<{ id: string }>('dead-letters.find-ids', findIds, { ids })) {
        const [deadLetter] = await systemSql<DeadLetterRow & { payload: Buffer }>('dead-letters.find', find, { id })
        if (!deadLetter) continue
        try {
          await replay(deadLetter, { ...options, unit: { now, log, traceparent: deadLetter.headers[headers.traceparent] ?? traceparent } })
          handled.push(id)
        } catch (error) {
          await systemSql('dead-letters.update-reason', updateReason, { id, reason: withoutNul(String(error)) })
          failed.push({ id, reason: String(error) })
        }
      }
      log.info({ handled: handled.length, failed: failed.length }, 'dead-letters.replayed')
      return { handled, failed }
    }),
  ]
}

/** Registers the gauge of dead letters; every replica reports the same value, so alerts use the maximum. */
export function registerDeadLetterGauge({ pool }: Database): void {
  gauge('dead_letters', 'Events that failed all attempts of a consumer of this service.', {
    async collect(gauge) {
      const { rows } = await pool.query<{ total: number }>(count)
      gauge.set(rows[0]?.total ?? 0)
    },
  })
}

function requireOperator({ kind }: Caller): void {
  if (kind !== 'operator') throw new NotPermitted('Only the operator may access dead letters.')
}

function toDeadLetter({ created_at, headers: messageHeaders, ...row }: DeadLetterRow): DeadLetter {
  return {
    ...row,
    created_at: new Date(created_at).toISOString(),
    organization_id: messageHeaders[headers.organization] ?? null,
    trace_id: messageHeaders[headers.traceparent]?.slice(3, 35) ?? null,
  }
}

/**
 * Handles a dead letter in one transaction with its effects, like the first attempt, and deletes it. If it has been handled in the
 * meantime, it is only deleted.
 */
async function replay(
  deadLetter: DeadLetterRow & { payload: Buffer },
  { consumers, database, unit, ...trust }: Omit<DeadLetterOptions, 'service'> & { unit: WorkContext },
): Promise<void> {
  const consumer = consumers.find(({ subscription }) => subscription.durable === deadLetter.consumer)
  if (!consumer) throw new Error(`This service has no consumer ${deadLetter.consumer} any more`)
  const stored = fromStored(deadLetter)
  const message = readEvent(stored, consumer.events)
  if (!message) throw new Error(`This service does not consume ${deadLetter.subject} any more`)
  // Handled in the name of its publisher, and it may have been dead-lettered because it was forged.
  assertAuthentic(trust, { event: message, message: stored })
  message.traceparent = continueTrace(message.traceparent || undefined)
  const caller: Caller = message.organizationId ? systemCaller(message.organizationId) : { kind: 'anonymous' }
  await runInTransaction(database, { caller, unit }, async (transaction, open) => {
    const deleted = await open.execute(deleteOne, bindValues(deleteOne, { id: deadLetter.id }))
    if (deleted.length === 0) return
    const entered = await open.execute(insertInbox, bindValues(insertInbox, { consumer: deadLetter.consumer, id: message.id }))
    if (entered.length > 0) await consumer.run([message], consumer.maxBatchSize > 1 ? addSystemAccess(transaction, open) : transaction)
  })
}
