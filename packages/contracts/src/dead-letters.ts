import { z } from 'zod'
import { Id, Timestamp } from './identifiers.ts'
import { operation } from './operation.ts'

/** An event that a consumer could not handle in any of its tries. */
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

/** Services that hear events. */
type Listener = 'orders' | 'invoices' | 'webhooks'

function listOf(service: Listener) {
  return operation({
    subject: `${service}.dead-letter.list`,
    summary: `List events that ${service} could not handle, oldest first`,
    request: z.object({ limit: z.int().min(1).max(500).default(100) }),
    reply: z.object({ dead_letters: z.array(DeadLetter), total_count: z.int() }),
    errors: [],
    audience: 'operator',
  })
}

function replayOf(service: Listener) {
  return operation({
    subject: `${service}.dead-letter.replay`,
    summary: `Let ${service} handle events again that it could not handle; each that works is a dead letter no more`,
    request: z.object({ ids: z.array(Id).max(500).nullable().describe('Null for the oldest five hundred.') }),
    reply: z.object({ handled: z.array(Id), failed: z.array(z.object({ id: Id, reason: z.string() })) }),
    errors: [],
    audience: 'operator',
  })
}

export const listOrdersDeadLetters = listOf('orders')
export const replayOrdersDeadLetters = replayOf('orders')
export const listInvoicesDeadLetters = listOf('invoices')
export const replayInvoicesDeadLetters = replayOf('invoices')
export const listWebhooksDeadLetters = listOf('webhooks')
export const replayWebhooksDeadLetters = replayOf('webhooks')

/** The same, by service. The chassis answers them. */
export const deadLetterOperations = {
  orders: { list: listOrdersDeadLetters, replay: replayOrdersDeadLetters },
  invoices: { list: listInvoicesDeadLetters, replay: replayInvoicesDeadLetters },
  webhooks: { list: listWebhooksDeadLetters, replay: replayWebhooksDeadLetters },
} as const
