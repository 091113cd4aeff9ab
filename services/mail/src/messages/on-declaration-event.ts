import { declarationReceived } from '@quittance/contracts/declarations'
import { durableConsumers } from '@quittance/contracts/streams'
import { consumer } from '@quittance/runtime/handler'
import { storeMessage } from './store-message.ts'

/** Mails the receipt of a withdrawal or a cancellation, at once and always, to the address that the consumer named. */
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
})
