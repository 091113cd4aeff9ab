import { paymentAccountUnhealthy } from '@quittance/contracts/payment-accounts'
import { durableConsumers } from '@quittance/contracts/streams'
import { consumer } from '@quittance/runtime/handler'
import { storeMessage } from './store-message.ts'

/** Mails the seller that a payment provider rejects the account or its key: once per event, of which there is one until the account is healthy again. */
export const onPaymentAccountEvent = consumer(
  durableConsumers.mailPaymentAccounts,
  [paymentAccountUnhealthy],
  async (message, transaction) => {
    const { id, organization_id, provider, mode, provider_account, health } = message.payload
    await storeMessage(transaction, message, {
      data: {
        kind: 'payment_account_unhealthy',
        provider,
        mode,
        account: provider_account,
        number: id,
        reason: health?.detail ?? null,
        lacking: health?.lacking ?? [],
        rejectedAt: message.occurredAt.toISOString(),
      },
      sourceId: message.id,
      recipientId: organization_id,
      customerId: null,
      recipient: null,
      locale: null,
    })
  },
)
