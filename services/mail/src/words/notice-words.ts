import type { MailText } from './declaration-words.ts'

/** Notices to sellers, in English: an organization has no language. */
export const noticeWords = {
  withdrawal: {
    subject: 'Withdrawal received: {contract}',
    title: 'A customer withdrew from a contract',
    text: '{name} has withdrawn from the contract below. Payments have to be returned within 14 days of the withdrawal.',
  } satisfies MailText,
  cancellation: {
    subject: 'Cancellation received: {contract}',
    title: 'A customer cancelled a contract',
    text: '{name} has cancelled the contract below.',
  } satisfies MailText,
  effects: {
    none: 'Nothing was changed: no contract was found, or the customer was not signed in. Decide what to do.',
    subscription_canceled: 'The subscription ends with its paid period. If no period is paid, it has ended.',
    subscription_ended: 'The subscription has ended.',
  },
  endpointDisabled: {
    subject: 'Webhook endpoint disabled: {host}',
    title: 'A webhook endpoint was disabled',
    text: 'Deliveries to {host} are held until you enable the endpoint and recover them. It replied 410, or failed for five days.',
  } satisfies MailText,
  paymentAccountUnhealthy: {
    subject: '{provider} rejects your payment account',
    title: 'A payment account is rejected',
    text: '{provider} rejects the account below, or its key. Payments through it fail or wait until you correct this.',
    todo: 'Look at the account at {provider}. If its key was revoked or lacks permissions, create another restricted key there and store it with PATCH /v1/payment-accounts/{id}. POST /v1/payment-accounts/{id}/check states whether the account is accepted. You get no further mail about it until it was accepted once.',
    providers: { stripe: 'Stripe', bank_transfer: 'The bank' },
    reason: 'Reason',
    permissions: 'Missing permissions',
    rejectedAt: 'Rejected on',
    account: 'Account',
    mode: 'Mode',
    number: 'Id',
  },
  contract: 'Contract',
  customer: 'Customer',
  address: 'Address',
  receivedAt: 'Received on',
  refundDueAt: 'Return payments until',
  number: 'Number',
  failingSince: 'Failing since',
  endpoint: 'Endpoint',
  footer: 'You receive this mail because {seller} has this address in its settings.',
} as const
