import { z } from 'zod'
import { displayName } from './display-name.ts'
import { ApiError, Conflict, NotPermitted, RequestValidationError, ResourceNotFound } from './errors.ts'
import { event } from './event.ts'
import { Bic, Iban } from './iban.ts'
import { Id, OrganizationIdInput, oneOrMany, Timestamp, timestamps } from './identifiers.ts'
import { CurrencyInput } from './money.ts'
import { operation } from './operation.ts'
import { ListReply, pageRequest, sorting } from './pagination.ts'

/** 422: credentials and account do not belong together: another account, another mode. */
export class PaymentAccountMismatch extends ApiError {
  readonly status = 422
}

export const PaymentMode = z.enum(['test', 'live'])

/** Where buyers send their money. It does not change: another bank account is another account here. */
export const BankAccount = z.object({
  beneficiary: displayName({ min: 1, max: 70 }).describe('The holder of the bank account.'),
  iban: Iban,
  bic: Bic.nullable().default(null),
  currency: CurrencyInput.default('eur').describe('Only orders in this currency can be paid by bank transfer.'),
  due_days: z.int().min(1).max(90).default(14).describe('Days until the money must have arrived.'),
})
export type BankAccount = z.infer<typeof BankAccount>

const lastCharacters = z.string().describe('The last four characters.')

/** An organization's account at a payment provider, or at a bank. Credentials are stored encrypted and never returned. */
export const PaymentAccount = z
  .object({
    id: Id,
    ...timestamps,
    organization_id: Id,
    provider: z.enum(['stripe', 'bank_transfer']),
    mode: PaymentMode,
    provider_account: z.string().nullable().describe('The id of the account at the provider; the IBAN of a bank account.'),
    bank: BankAccount.nullish().describe('Of `bank_transfer` only.'),
    publishable_key: z.string().nullable(),
    secret_key_last4: lastCharacters.describe('The last four characters; empty without a key.'),
    webhook_secret_last4: z.array(lastCharacters).describe('Newest first; two within 24 hours of a change.'),
    status: z.enum(['active', 'draining', 'disabled']).describe('`draining`: no new payments; open ones are completed.'),
    is_default: z.boolean().describe('New payments go through this account.'),
    health: z
      .object({
        is_healthy: z.boolean(),
        lacking: z.array(z.string()).describe('Permissions that the key lacks.'),
        detail: z.string().nullable(),
      })
      .nullable()
      .describe('Result of the last check; null before the first.'),
    checked_at: Timestamp.nullable(),
    events_path: z.string().describe('Path of the API to which the provider sends events.'),
  })
  .meta({ id: 'PaymentAccount' })
export type PaymentAccount = z.infer<typeof PaymentAccount>

const read = { scopes: ['payment_accounts:read', 'payment_accounts:write'], callers: ['organization', 'user'] } as const
const write = { scopes: ['payment_accounts:write'], callers: ['organization', 'user'] } as const

const secretKey = z
  .string()
  .regex(/^[\x21-\x7e]{8,255}$/, 'Must be the secret key of the provider.')
  .meta({ example: 'rk_test_0123456789' })
const publishableKey = z
  .string()
  .regex(/^[\x21-\x7e]{8,255}$/, 'Must be the publishable key of the provider.')
  .meta({ example: 'pk_test_0123456789' })
const webhookSecret = z
  .string()
  .regex(/^[\x21-\x7e]{8,255}$/, 'Must be the signing secret of the provider.')
  .meta({ example: 'whsec_0123456789' })

export const createPaymentAccount = operation({
  subject: 'orders.payment-account.create',
  summary: 'Connect an account at a payment provider, after its key was verified, or a bank account',
  http: { method: 'POST', path: '/v1/payment-accounts/', status: 201, ...write },
  request: z.object({
    provider: z.enum(['stripe', 'bank_transfer']),
    mode: PaymentMode,
    secret_key: secretKey.nullish().describe('A restricted key with the permissions of docs/stripe.md. Required for `stripe`.'),
    publishable_key: publishableKey.nullish(),
    webhook_secret: webhookSecret.nullish(),
    bank: BankAccount.nullish().describe('Required for `bank_transfer`.'),
    is_default: z.boolean().nullish().describe('Without a value, the first account of the organization becomes the default.'),
    organization_id: OrganizationIdInput,
  }),
  reply: PaymentAccount,
  errors: [RequestValidationError, NotPermitted, PaymentAccountMismatch],
})

export const listPaymentAccounts = operation({
  subject: 'orders.payment-account.list',
  summary: 'List the accounts at payment providers',
  http: { method: 'GET', path: '/v1/payment-accounts/', status: 200, ...read },
  request: z.object({ ...pageRequest, organization_id: oneOrMany(Id), sorting: sorting(['created_at'], 'created_at') }),
  reply: ListReply(PaymentAccount),
  errors: [],
})

export const getPaymentAccount = operation({
  subject: 'orders.payment-account.get',
  summary: 'Get an account at a payment provider',
  http: { method: 'GET', path: '/v1/payment-accounts/{id}', status: 200, ...read },
  request: z.object({ id: Id }),
  reply: PaymentAccount,
  errors: [ResourceNotFound],
})

export const updatePaymentAccount = operation({
  subject: 'orders.payment-account.update',
  summary: 'Replace credentials of an account, or change its status',
  http: { method: 'PATCH', path: '/v1/payment-accounts/{id}', status: 200, ...write },
  request: z.object({
    id: Id,
    secret_key: secretKey.nullish().describe('Another key of the same account.'),
    publishable_key: publishableKey.nullish(),
    webhook_secret: webhookSecret.nullish().describe('Accepted beside the previous one, which ends after 24 hours.'),
    status: z.enum(['active', 'draining', 'disabled']).nullish(),
    is_default: z.literal(true).nullish(),
  }),
  reply: PaymentAccount,
  errors: [ResourceNotFound, RequestValidationError, NotPermitted, PaymentAccountMismatch, Conflict],
})

export const deletePaymentAccount = operation({
  subject: 'orders.payment-account.delete',
  summary: 'Delete an account that was never used; any other stops taking payments',
  http: { method: 'DELETE', path: '/v1/payment-accounts/{id}', status: 204, ...write },
  request: z.object({ id: Id }),
  reply: z.null(),
  errors: [ResourceNotFound],
})

export const checkPaymentAccount = operation({
  subject: 'orders.payment-account.check',
  summary: 'Check credentials, permissions and mode of an account at the provider',
  http: { method: 'POST', path: '/v1/payment-accounts/{id}/check', status: 200, ...write },
  request: z.object({ id: Id }),
  reply: PaymentAccount,
  errors: [ResourceNotFound, NotPermitted],
})

export const paymentAccountUnhealthy = event({
  subject: 'event.payment_account.unhealthy',
  publisher: 'orders',
  webhookType: 'payment_account.unhealthy',
  summary: 'A payment provider rejects the account or its key; `health` has the reason. Sent once until a check finds it healthy again.',
  payload: PaymentAccount,
})
