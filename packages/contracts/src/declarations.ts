import { z } from 'zod'
import { displayName } from './display-name.ts'
import { RequestValidationError, ResourceNotFound, TooManyRequests } from './errors.ts'
import { event } from './event.ts'
import { EmailAddress, Id, oneOrMany, Timestamp } from './identifiers.ts'
import { LocaleInput } from './locale.ts'
import { operation, type HttpBinding } from './operation.ts'
import { ListReply, pageRequest, sorting } from './pagination.ts'

export const DeclarationKind = z.enum(['withdrawal', 'cancellation'])
export type DeclarationKind = z.infer<typeof DeclarationKind>

/** Of a cancellation: at the end of the period, or at once because of a breach by the seller. */
export const CancellationGround = z.enum(['ordinary', 'for_cause'])

const content = {
  id: Id,
  created_at: Timestamp,
  organization_id: Id,
  kind: DeclarationKind,
  name: z.string(),
  email: z.string(),
  reference: z.string().nullable().describe('How the consumer named the contract.'),
  ground: CancellationGround.nullable(),
}

/** A consumer's declaration as it was received, for the consumer. It does not show whether a contract was found. */
export const DeclarationReceipt = z.object(content).meta({ id: 'DeclarationReceipt' })

/** A declaration for the seller. */
export const Declaration = z
  .object({
    ...content,
    is_verified: z.boolean().describe('Whether the customer was signed in. Otherwise only the text is known.'),
    customer_id: Id.nullable(),
    order_id: Id.nullable().describe('Null if no contract fits the text: the seller decides.'),
    subscription_id: Id.nullable(),
    effect: z.enum(['none', 'subscription_canceled', 'subscription_ended']),
    refund_due_at: Timestamp.nullable().describe('Of a withdrawal: until when payments have to be returned, 14 days.'),
    days_left: z
      .int()
      .nullable()
      .describe('Of a withdrawal that is not settled: days until `refund_due_at`, the current one included; 0 when it has passed.'),
    is_settled: z.boolean().describe('The order was refunded, or the cancellation had its effect.'),
  })
  .meta({ id: 'Declaration' })
export type Declaration = z.infer<typeof Declaration>

/** Text that a receipt repeats to an address that anyone can type: no links. */
const plainText = (max: number) =>
  displayName({ min: 1, max }).refine((text) => !/:\/\/|www\./i.test(text), { error: 'Must not contain a link.' })

const declared = {
  organization_id: Id,
  name: plainText(100),
  email: EmailAddress.describe('Where the receipt is sent.'),
  reference: plainText(200).nullish().describe('Number of the order, invoice or subscription, or a description of the contract.'),
  locale: LocaleInput.nullish().describe('Language of the receipt.'),
}

const declaring = {
  status: 201,
  scopes: [],
  callers: ['customer', 'anonymous'],
  actsOn: ['organization_id', 'email'],
  limitedByNetwork: true,
} satisfies Partial<HttpBinding>

const errors = [RequestValidationError, ResourceNotFound, TooManyRequests]

export const declareWithdrawal = operation({
  subject: 'orders.withdrawal.declare',
  summary:
    'Withdraw from a contract (Directive 2011/83/EU, Art. 11a); a receipt is mailed, and the seller decides unless the customer is signed in',
  http: { method: 'POST', path: '/v1/customer-portal/withdrawals/', ...declaring },
  request: z.object({ ...declared, order_id: Id.nullish().describe('With a customer session: the order.') }),
  reply: DeclarationReceipt,
  errors,
})

export const declareCancellation = operation({
  subject: 'orders.cancellation.declare',
  summary: 'Cancel a subscription without a sign-in, named by its number and the e-mail address of the customer; a receipt is mailed',
  http: { method: 'POST', path: '/v1/customer-portal/cancellations/', ...declaring },
  request: z.object({ ...declared, ground: CancellationGround.default('ordinary') }),
  reply: DeclarationReceipt,
  errors,
})

export const listDeclarations = operation({
  subject: 'orders.declaration.list',
  summary: 'List withdrawals and cancellations that consumers declared, newest first',
  http: { method: 'GET', path: '/v1/declarations/', status: 200, scopes: ['orders:read'], callers: ['organization', 'user'] },
  request: z.object({
    ...pageRequest,
    organization_id: oneOrMany(Id),
    kind: oneOrMany(DeclarationKind),
    order_id: oneOrMany(Id),
    customer_id: oneOrMany(Id),
    is_settled: z.boolean().optional(),
    sorting: sorting(['created_at'], '-created_at'),
  }),
  reply: ListReply(Declaration),
  errors: [],
})

export const declarationReceived = event({
  subject: 'event.declaration.received',
  publisher: 'orders',
  webhookType: null,
  summary: 'A consumer declared a withdrawal or a cancellation. A receipt is mailed, and a notice to the seller.',
  payload: DeclarationReceipt.extend({
    customer_id: Id.nullable(),
    locale: z.string().nullable(),
    effect: Declaration.shape.effect.optional().describe('Absent in events of earlier releases, like `refund_due_at`.'),
    refund_due_at: Timestamp.nullish(),
  }),
})
