import { headers } from '@quittance/contracts/headers'
import { headers as natsHeaders, type MsgHdrs, type NatsConnection } from 'nats'
import { signEvents } from '../bus/event-signature.ts'
import type { BusIdentity } from '../bus/identity.ts'
import { muxRequest } from '../nats/mux-inbox.ts'
import { startSpan, withSpans } from '../process/tracing.ts'

/** An unpublished row of the outbox. */
export interface WaitingRow {
  position: string
  id: string
  subject: string
  aggregate_id: string
  organization_id: string | null
  payload: string
  traceparent: string | null
  occurred_at: Date | string
}

/**
 * A message sent to a leader that died gets no reply; it is published again with the same id, so a reply that was only slow does no harm.
 */
const publishTimeoutMs = 3_000

/** Reply of JetStream to a published message. */
interface Acknowledgement {
  seq?: number
  duplicate?: boolean
  error?: { description: string }
}

/** A signed message of an outbox row. */
export interface OutgoingMessage {
  row: WaitingRow
  headers: MsgHdrs
  body: Buffer
}

/** Builds the messages of a batch with their headers and signs them with one signature. */
export function signMessages(identity: BusIdentity, rows: readonly WaitingRow[]): OutgoingMessage[] {
  const messages = rows.map((row) => ({ row, headers: buildHeaders(row), body: Buffer.from(row.payload) }))
  const events = messages.map(({ row, headers: messageHeaders, body }) => ({
    subject: row.subject,
    header: (name: string) => messageHeaders.get(name),
    body,
  }))
  const signatures = signEvents(identity, events)
  for (const [index, message] of messages.entries()) message.headers.set(headers.signature, signatures[index] as string)
  return messages
}

function buildHeaders(row: WaitingRow): MsgHdrs {
  const sent = natsHeaders()
  sent.set('Nats-Msg-Id', row.id)
  sent.set(headers.aggregate, row.aggregate_id)
  sent.set(headers.occurredAt, new Date(row.occurred_at).toISOString())
  if (row.organization_id) sent.set(headers.organization, row.organization_id)
  return sent
}

/** Where the stream stored a message; a duplicate was stored before, under the same id. */
export interface StoredAt {
  sequence: number
  isDuplicate: boolean
}

/** Publishes a message and returns where the stream stored it. */
export async function publishMessage(connection: NatsConnection, { row, headers: sent, body }: OutgoingMessage): Promise<StoredAt> {
  const span = startSpan(row.subject, 'producer', row.traceparent)
  // Without a collector, an event stored without a trace is published without one.
  if (row.traceparent) sent.set(headers.traceparent, span.traceparent)
  const reply = await withSpans([span], () =>
    muxRequest(connection, { subject: row.subject, body, headers: sent, timeoutMs: publishTimeoutMs }),
  )
  const { seq, duplicate = false, error } = reply.json<Acknowledgement>()
  if (seq === undefined) throw new Error(`The stream did not store the event: ${error?.description ?? reply.string()}`)
  return { sequence: seq, isDuplicate: duplicate }
}
