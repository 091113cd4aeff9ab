import { z } from 'zod'
import { Id, Timestamp } from './identifiers.ts'
import { operation } from './operation.ts'

/** An event that failed all attempts of a consumer. */
export const DeadLetter = z.object({
  id: Id,
  created_at: Timestamp,
  consumer: z.string(),
  subject: z.string(),
  message_id: z.string().nullable(),
  organization_id: z.string().nullable(),
  trace_id: z.string().nullable(),
  reason: z.string(),
})
export type DeadLetter = z.infer<typeof DeadLetter>

/** Services that consume events. */
type ConsumerService = 'orders' | 'invoices' | 'webhooks' | 'mail' | 'usage'

function defineDeadLetterList(service: ConsumerService) {
  return operation({
    subject: `${service}.dead-letter.list`,
    summary: `List dead letters of ${service}, oldest first`,
    request: z.object({ limit: z.int().min(1).max(500).default(100) }),
    reply: z.object({ dead_letters: z.array(DeadLetter), total_count: z.int() }),
    errors: [],
    audience: 'operator',
  })
}

function defineDeadLetterReplay(service: ConsumerService) {
  return operation({
    subject: `${service}.dead-letter.replay`,
    summary: `Replay dead letters of ${service}; those that succeed are deleted`,
    request: z.object({ ids: z.array(Id).max(500).nullable().describe('Null: the oldest 10,000.') }),
    reply: z.object({ handled: z.array(Id), failed: z.array(z.object({ id: Id, reason: z.string() })) }),
    errors: [],
    audience: 'operator',
  })
}

export const listOrdersDeadLetters = defineDeadLetterList('orders')
export const replayOrdersDeadLetters = defineDeadLetterReplay('orders')
export const listInvoicesDeadLetters = defineDeadLetterList('invoices')
export const replayInvoicesDeadLetters = defineDeadLetterReplay('invoices')
export const listWebhooksDeadLetters = defineDeadLetterList('webhooks')
export const replayWebhooksDeadLetters = defineDeadLetterReplay('webhooks')
export const listMailDeadLetters = defineDeadLetterList('mail')
export const replayMailDeadLetters = defineDeadLetterReplay('mail')
export const listUsageDeadLetters = defineDeadLetterList('usage')
export const replayUsageDeadLetters = defineDeadLetterReplay('usage')

/** Dead-letter operations by service, implemented by the runtime package. */
export const deadLetterOperations = {
  orders: { list: listOrdersDeadLetters, replay: replayOrdersDeadLetters },
  invoices: { list: listInvoicesDeadLetters, replay: replayInvoicesDeadLetters },
  webhooks: { list: listWebhooksDeadLetters, replay: replayWebhooksDeadLetters },
  mail: { list: listMailDeadLetters, replay: replayMailDeadLetters },
  usage: { list: listUsageDeadLetters, replay: replayUsageDeadLetters },
} as const
