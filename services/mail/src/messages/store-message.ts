import type { Customer } from '@quittance/contracts/customers'
import type { EventMessage, Transaction } from '@quittance/runtime/handler'
import type { MailData } from '../content/mail-data.ts'
import { customerLock } from './customer-copy.ts'

/** Name of the job that sends mails, which is woken for new ones. */
export const sendingJobName = 'send-due-messages'

/** A mail to send about an event; that of an event without an organization comes from the operator. */
export interface NewMessage {
  data: MailData
  /** What the mail is about: the order, refund or document, or the event itself. There is one mail per source, kind and recipient. */
  sourceId: string
  /** Customer, account or invitation. */
  recipientId: string
  customerId: string | null
  /** Null if the event does not contain the address: it is that of the customer when the mail is sent. */
  recipient: string | null
  locale: string | null
  /** Encrypted code or link. */
  sealedSecret?: string
  /** Sent before other mails. With `expiresAt` it is tried often until then; otherwise it is retried like other mails, and among them. */
  isUrgent?: true
  /** The mail is not sent later. */
  expiresAt?: Date
}

const insert = `
  insert into messages (organization_id, kind, source_id, recipient_id, customer_id, recipient, locale, is_urgent, content, sealed_secret, expires_at, traceparent)
  select :organization_id::uuid, :kind::text, :source_id::uuid, :recipient_id::uuid, :customer_id::uuid, :recipient::text, :locale::text,
    :is_urgent::boolean, :content::jsonb, :sealed_secret::text, :expires_at::timestamptz, :traceparent::text
  where (:organization_id::uuid = any (:scope_organizations) or (:organization_id::uuid is null and cardinality(:scope_organizations::uuid[]) = 0))
    and :occurred_at::timestamptz >= (select installed_at from installation)
    and not exists (select from customers c where c.id = :customer_id::uuid and c.organization_id = any (:scope_organizations) and c.deleted_at is not null)
  on conflict (source_id, kind, recipient_id) do nothing
  returning id`

/**
 * Stores a mail, to be sent after the commit: at most once per source, kind and recipient. Stores nothing for events from before the
 * installation of this service, nor for deleted customers.
 */
export async function storeMessage(transaction: Transaction, event: EventMessage, message: NewMessage): Promise<void> {
  const { sql, lockNames, wake, traceparent } = transaction
  const { data, sourceId, recipientId, customerId, recipient, locale, sealedSecret, expiresAt, isUrgent = false } = message
  if (customerId !== null) await lockNames([customerLock(customerId)])
  const stored = await sql('message.store', insert, {
    organization_id: event.organizationId,
    kind: data.kind,
    source_id: sourceId,
    recipient_id: recipientId,
    customer_id: customerId,
    recipient,
    locale,
    is_urgent: isUrgent,
    content: JSON.stringify(data),
    sealed_secret: sealedSecret ?? null,
    expires_at: expiresAt ?? null,
    occurred_at: event.occurredAt,
    traceparent,
  })
  if (stored.length > 0) wake(sendingJobName)
}

type BuyerMessage = Omit<NewMessage, 'recipientId' | 'customerId' | 'recipient' | 'locale'> & { customer: Customer }

/** Stores a mail to the buyer in an event; none if they were deleted before it, also if this service does not know that yet. */
export async function storeBuyerMessage(
  transaction: Transaction,
  event: EventMessage,
  { customer, ...message }: BuyerMessage,
): Promise<void> {
  const { id, email: recipient, locale, deleted_at: deletedAt } = customer
  if (deletedAt) return
  // Events of release 0.1.0 have no language.
  await storeMessage(transaction, event, { ...message, recipientId: id, customerId: id, recipient, locale: locale ?? null })
}
