import { accountMailRequested } from '@quittance/contracts/invitations'
import { customerCodeRequested } from '@quittance/contracts/customer-codes'
import { durableConsumers } from '@quittance/contracts/streams'
import { consumer } from '@quittance/runtime/handler'
import { storeMessage } from './store-message.ts'

/** A code is valid for 15 minutes; a mail that comes later than this leaves too little of them. */
const maxCodeDelayMs = 10 * 60_000

/** Mails a code, or nothing without a recipient. The code stays encrypted until it is sent. */
export const onCustomerCodeRequested = consumer(
  durableConsumers.mailCustomerCodes,
  [customerCodeRequested],
  async (message, transaction) => {
    const { code_id, purpose, customer_id, recipient, locale, sealed_code } = message.payload
    if (customer_id === null || recipient === null) return
    await storeMessage(transaction, message, {
      data: { kind: 'customer_code', purpose },
      sourceId: code_id,
      recipientId: customer_id,
      customerId: customer_id,
      recipient,
      locale,
      sealedSecret: sealed_code,
      isUrgent: true,
      expiresAt: new Date(message.occurredAt.getTime() + maxCodeDelayMs),
    })
  },
)

/** Mails an invitation to become a member, or the link with which a password is set. The link stays encrypted until it is sent. */
export const onAccountMailRequested = consumer(durableConsumers.mailAccountMails, [accountMailRequested], async (message, transaction) => {
  const { kind, source_id, recipient, locale, expires_at, sealed_url } = message.payload
  if (recipient === null) return
  await storeMessage(transaction, message, {
    data: { kind, expiresAt: expires_at },
    sourceId: source_id,
    recipientId: source_id,
    customerId: null,
    recipient,
    locale,
    sealedSecret: sealed_url,
    expiresAt: new Date(expires_at),
    ...(kind === 'password_reset' && { isUrgent: true }),
  })
})
