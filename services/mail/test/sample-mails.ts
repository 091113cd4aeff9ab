import type { MailToWrite } from '../src/content/writing.ts'
import type { MailData } from '../src/content/mail-data.ts'
import { isOptional } from '../src/messages/email-settings.ts'
import type { OwnAddresses } from '../src/content/own-address.ts'

export const addresses: OwnAddresses = { api: 'https://billing.example', auth: 'https://login.example', pages: 'https://shop.example' }

const price = { amount: 4900, currency: 'usd', interval: 'month' } as const
const document = {
  currency: 'eur',
  total: 5831,
  url: 'https://billing.example/v1/invoices/documents/1?expires=2&signature=3',
  urlExpiresAt: '2026-12-23T00:00:00Z',
}
const change = { product: 'Reading room', ...price, until: '2026-12-23T10:00:00Z' }

/** One mail of each kind. */
export const sampleData: readonly MailData[] = [
  {
    kind: 'receipt',
    reason: 'purchase',
    isAfterTrial: false,
    product: 'Reading room',
    currency: 'eur',
    items: [
      { label: 'Reading room', amount: 4900 },
      { label: 'Reading lamp', amount: 1500 },
    ],
    subtotal: 6400,
    discount: 640,
    taxes: [{ name: 'VAT', percentage: 19, amount: 1094 }],
    isTaxIncluded: false,
    total: 6854,
    orderedAt: '2026-11-23T10:00:00Z',
    orderId: 'o-1',
    mayWithdraw: true,
  },
  { kind: 'refund', currency: 'jpy', amount: 1200, refundedAt: '2026-11-23T10:00:00Z' },
  { kind: 'payment_failed', ...change, until: null, subscriptionId: 's-1' },
  { kind: 'payment_failed', ...change, until: null, subscriptionId: 's-1', nextAttemptAt: '2026-11-24T10:00:00Z', endsUnpaidAt: null },
  { kind: 'payment_failed', ...change, until: null, subscriptionId: 's-1', nextAttemptAt: null, endsUnpaidAt: '2026-12-09T10:00:00Z' },
  {
    kind: 'payment_failed',
    ...change,
    until: null,
    subscriptionId: 's-1',
    isPaidByTransfer: true,
    nextAttemptAt: '2026-11-24T10:00:00Z',
    endsUnpaidAt: null,
  },
  { kind: 'subscription_cancelled', ...change },
  { kind: 'subscription_cancelled', ...change, subscriptionId: 's-1' },
  { kind: 'subscription_uncancelled', ...change },
  { kind: 'subscription_uncancelled', ...change, subscriptionId: 's-1' },
  { kind: 'subscription_ended', ...change, until: null },
  { kind: 'plan_changed', product: 'Reading room XL', previousProduct: 'Reading room', ...price },
  { kind: 'plan_confirmation', product: 'Reading room XL', currency: 'eur', amount: 2499, subscriptionId: 's-1' },
  {
    kind: 'transfer_request',
    product: 'Reading room',
    currency: 'eur',
    amount: 2499,
    beneficiary: 'Harbour Books Ltd',
    iban: 'DE89370400440532013000',
    bic: 'COBADEFFXXX',
    reference: 'RF18539007547034',
    dueDate: '2026-12-23',
    orderId: 'o-1',
  },
  { kind: 'renewal_ahead', product: 'Reading room', ...price, interval: 'year', total: 36_890, renewsAt: '2026-12-23T10:00:00Z' },
  { kind: 'renewal_ahead', product: 'Reading room', ...price, total: 5831, renewsAt: '2026-12-23T10:00:00Z', isPaidByTransfer: true },
  { kind: 'trial_ending', product: 'Reading room', ...price, renewsAt: '2026-12-23T10:00:00Z' },
  { kind: 'invoice', number: 'HB-2026-0042', ...document },
  { kind: 'credit_note', number: 'HB-C-7', ...document },
  { kind: 'withdrawal_receipt', number: 'd-1', name: 'Ada Lovelace', contract: 'HB-2026-0042', receivedAt: '2026-11-23T10:00:00Z' },
  { kind: 'cancellation_receipt', number: 'd-2', name: 'Ada Lovelace', contract: 'Reading room', receivedAt: '2026-11-23T10:00:00Z' },
  {
    kind: 'declaration_notice',
    declaration: 'withdrawal',
    effect: 'none',
    number: 'd-1',
    name: 'Ada Lovelace',
    email: 'ada@example.com',
    contract: 'HB-2026-0042',
    receivedAt: '2026-11-23T10:00:00Z',
    refundDueAt: '2026-12-07T10:00:00Z',
  },
  { kind: 'endpoint_disabled', host: 'hooks.example', number: 'e-1', failingSince: '2026-11-18T10:00:00Z' },
  {
    kind: 'payment_account_unhealthy',
    provider: 'stripe',
    mode: 'live',
    account: 'acct_1',
    number: 'a-1',
    reason: 'The API key lacks permissions.',
    lacking: ['Charges'],
    rejectedAt: '2026-12-01T10:00:00Z',
  },
  { kind: 'customer_code' },
  { kind: 'customer_code', purpose: 'email_update' },
  { kind: 'invitation', expiresAt: '2026-11-30T10:00:00Z' },
  { kind: 'password_reset', expiresAt: '2026-11-24T10:45:00Z' },
]

/** Returns a mail of a seller in one language. */
export function sampleMail(data: MailData, locale: string | null): MailToWrite {
  const secrets: Partial<Record<MailData['kind'], string>> = {
    customer_code: '4F7-K2M',
    invitation: 'https://login.example/oauth2/invitations?token=qt_inv_x',
    password_reset: 'https://login.example/oauth2/account/reset-password?token=qt_prt_x',
  }
  return {
    data,
    seller: 'Harbour Books',
    slug: 'harbour',
    locale,
    secret: secrets[data.kind] ?? null,
    optOut: isOptional(data.kind) ? 'qt_un_x' : null,
  }
}
