import type { Event } from '@quittance/contracts/event'
import { headers } from '@quittance/contracts/headers'
import type { JsMsg } from 'nats'
import { findEventRejection, type EventRejection, type EventTrust } from '../bus/event-signature.ts'
import type { EventMessage } from '../handlers/handler.ts'

/** A message of the stream, as delivered or as stored after a failure. */
export interface IncomingMessage {
  subject: string
  data: Uint8Array
  /** Returns a header, or an empty text. */
  header(name: string): string
}

/** A message as the tables for failed messages store it. */
export interface StoredMessage {
  subject: string
  headers: Record<string, string>
  payload: Uint8Array
}

export function fromDelivery(message: JsMsg): IncomingMessage {
  return { subject: message.subject, data: message.data, header: (name) => message.headers?.get(name) ?? '' }
}

export function fromStored({ subject, headers: stored, payload }: StoredMessage): IncomingMessage {
  return { subject, data: payload, header: (name) => stored[name] ?? '' }
}

export function toStored({ subject, headers: delivered, data }: JsMsg): StoredMessage {
  const stored = Object.fromEntries([...(delivered?.keys() ?? [])].map((key) => [withoutNul(key), withoutNul(delivered?.get(key) ?? '')]))
  return { subject, headers: stored, payload: Buffer.from(data) }
}

/** Replaces NUL, which PostgreSQL stores neither in text nor in JSON. No genuine header has one, but nats-server passes it on. */
export function withoutNul(text: string): string {
  return text.replaceAll('\0', '\ufffd')
}

/** A message that no attempt can make readable. */
export class UnreadableEvent extends Error {}

/**
 * A message without a valid signature of its publisher. It is dead-lettered, so that a wrong key in the configuration loses no event: a
 * replay verifies it again.
 */
export class UnauthenticEvent extends UnreadableEvent {
  readonly reason: EventRejection

  constructor(reason: EventRejection) {
    super(`The event is not authentic: ${reason}`)
    this.reason = reason
  }
}

/** Throws `UnauthenticEvent` if the publisher did not sign the event. */
export function assertAuthentic(
  trust: EventTrust,
  { event: { event }, message }: { event: Pick<EventMessage, 'event'>; message: IncomingMessage },
): void {
  const { subject, data: body, header } = message
  const rejection = findEventRejection(trust, { publisher: event.publisher, subject, body, header })
  if (rejection) throw new UnauthenticEvent(rejection)
}

/** Returns null for an event that the consumer does not handle. */
export function readEvent(message: IncomingMessage, events: readonly Event[]): EventMessage | null {
  const event = events.find((candidate) => candidate.subject === message.subject)
  if (!event) return null
  const { data } = message
  let text: string | undefined
  let payload: unknown
  return {
    id: requireHeader(message, { header: 'Nats-Msg-Id', isValid: isUuid }),
    event,
    // Most received events are not relevant, so they are decoded lazily.
    get payload() {
      return (payload ??= parse(this.payloadText)) as never
    },
    get payloadText() {
      return (text ??= Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString())
    },
    aggregateId: requireHeader(message, { header: headers.aggregate, isValid: isUuid }),
    organizationId: message.header(headers.organization) ? requireHeader(message, { header: headers.organization, isValid: isUuid }) : null,
    traceparent: message.header(headers.traceparent),
    occurredAt: new Date(requireHeader(message, { header: headers.occurredAt, isValid: (value) => !Number.isNaN(Date.parse(value)) })),
  }
}

/** Returns what shares the order of a message: its organization, or its aggregate where it has none. */
export function orderingKey({ header }: IncomingMessage): string {
  return header(headers.organization) || header(headers.aggregate)
}

function parse(text: string) {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new UnreadableEvent('The message is not JSON', { cause: error })
  }
}

export const isUuid = (value: string) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value)

function requireHeader(message: IncomingMessage, { header, isValid }: { header: string; isValid(value: string): boolean }): string {
  const value = message.header(header)
  if (!value || !isValid(value)) throw new UnreadableEvent(`The message has no readable ${header} header`)
  return value
}
