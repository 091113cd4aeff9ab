import { declarationReceived } from '@quittance/contracts/declarations'
import { durableConsumers } from '@quittance/contracts/streams'
import { consumer, type EventMessage, type Transaction } from '@quittance/runtime/handler'
import { storeMessage } from './store-message.ts'

type DeclarationMessage = EventMessage<typeof declarationReceived>

/**
 * Mails the receipt of a withdrawal or a cancellation, at once and whatever the seller switched off, to the address that the consumer named,
 * and a notice to the seller.
 */
export const onDeclarationEvent = consumer(durableConsumers.mailDeclarations, [declarationReceived], async (message, transaction) => {
  const { id, created_at, kind, name, email, reference, customer_id, locale } = message.payload
  await storeMessage(transaction, message, {
    data: { kind: `${kind}_receipt`, number: id, name, contract: reference ?? '', receivedAt: created_at },
    sourceId: id,
    recipientId: customer_id ?? id,
    customerId: customer_id,
    recipient: email,
    locale,
    isUrgent: true,
  })
  await notifySeller(message, transaction)
})

/** Notices to one seller within an hour about declarations that name no contract. Anyone can make them; the list of declarations has all. */
const maxUnmatchedNoticesPerHour = 20

const countNotices = `
  select count(*)::int as count from messages
  where organization_id = :organization_id and organization_id = any (:scope_organizations) and created_at > now() - interval '1 hour'
    and kind = 'declaration_notice' and customer_id is null`

async function notifySeller(message: DeclarationMessage, transaction: Transaction): Promise<void> {
  const { id, created_at, organization_id, kind, name, email, reference, customer_id, effect = 'none', refund_due_at } = message.payload
  if (customer_id === null) {
    const [recent] = await transaction.sql<{ count: number }>('message.count-notices', countNotices, { organization_id })
    if (recent && recent.count >= maxUnmatchedNoticesPerHour) return
  }
  await storeMessage(transaction, message, {
    data: {
      kind: 'declaration_notice',
      declaration: kind,
      effect,
      number: id,
      name,
      email,
      contract: reference ?? '',
      receivedAt: created_at,
      refundDueAt: refund_due_at ?? null,
    },
    sourceId: id,
    recipientId: organization_id,
    customerId: customer_id,
    recipient: null,
    locale: null,
  })
}
