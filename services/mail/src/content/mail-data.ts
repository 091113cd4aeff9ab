import { CodePurpose } from '@quittance/contracts/customer-codes'
import { PaymentAccount } from '@quittance/contracts/payment-accounts'
import { z } from 'zod'

const amount = z.int()
const time = z.string()
const product = z.string()

/** Amounts of an order: what the receipt states. */
const Receipt = z.object({
  kind: z.literal('receipt'),
  reason: z.enum(['purchase', 'subscription_create', 'subscription_cycle', 'subscription_update']),
  isAfterTrial: z.boolean(),
  product,
  currency: z.string(),
  items: z.array(z.object({ label: z.string(), amount })),
  subtotal: amount,
  discount: amount,
  taxes: z.array(z.object({ name: z.string(), percentage: z.number(), amount })),
  /** Whether the advertised price includes the tax, for release 0.1.0. Amounts are without it in any case. */
  isTaxIncluded: z.boolean(),
  total: amount,
  orderedAt: time,
  /** Absent in mails of release 0.1.0. */
  orderId: z.string().optional(),
  /** Whether the buyer may withdraw: a consumer in the EU or EEA who did not waive it. */
  mayWithdraw: z.boolean().optional(),
})

const Refund = z.object({ kind: z.literal('refund'), currency: z.string(), amount, refundedAt: time })

const price = { amount, currency: z.string(), interval: z.enum(['month', 'year']) }
/** Whether the buyer sends the money; absent in mails of earlier releases. */
const isPaidByTransfer = z.boolean().optional()

const SubscriptionChange = z.object({
  kind: z.enum(['payment_failed', 'subscription_cancelled', 'subscription_uncancelled', 'subscription_ended']),
  product,
  ...price,
  /** End of the paid time, or the next payment. */
  until: time.nullable(),
  /** What a failed payment was for. Absent where none failed, and in mails of release 0.1.0. */
  subscriptionId: z.string().optional(),
  isPaidByTransfer,
  /** Null if the failed payment is not tried again by itself, nor asked for. Absent where none failed, and in mails of earlier releases. */
  nextAttemptAt: time.nullish(),
  /** The end without a payment; null if it is not known. */
  endsUnpaidAt: time.nullish(),
})

const PlanChange = z.object({ kind: z.literal('plan_changed'), product, previousProduct: product, ...price })

/** Only the buyer can pay a change of plan, which is undone without. The amount is what is charged, with tax. */
const PlanConfirmation = z.object({
  kind: z.literal('plan_confirmation'),
  product,
  currency: z.string(),
  amount,
  subscriptionId: z.string(),
})

/** Where the buyer sends the money of an order. The due date is a calendar date. */
const TransferRequest = z.object({
  kind: z.literal('transfer_request'),
  product,
  currency: z.string(),
  amount,
  beneficiary: z.string(),
  iban: z.string(),
  bic: z.string().nullable(),
  reference: z.string(),
  dueDate: z.string(),
  orderId: z.string(),
})

/** A yearly subscription renews soon, or a trial ends. The total is what is charged, with tax; absent in mails of earlier releases. */
const ahead = { total: amount.optional(), renewsAt: time }
const RenewalAhead = z.object({ kind: z.enum(['renewal_ahead', 'trial_ending']), product, ...price, ...ahead, isPaidByTransfer })

const Document = z.object({
  kind: z.enum(['invoice', 'credit_note']),
  number: z.string(),
  currency: z.string(),
  total: amount,
  url: z.string(),
  urlExpiresAt: time,
})

/** The secret is the code. Without a purpose, as in mails of earlier releases, it is for signing in. */
const Code = z.object({ kind: z.literal('customer_code'), purpose: CodePurpose.optional() })

/** The secret is the link. */
const Invitation = z.object({ kind: z.literal('invitation'), expiresAt: time })

/** The secret is the link. */
const PasswordReset = z.object({ kind: z.literal('password_reset'), expiresAt: time })

/** What a consumer declared. */
const DeclarationReceipt = z.object({
  kind: z.enum(['withdrawal_receipt', 'cancellation_receipt']),
  number: z.string(),
  name: z.string(),
  contract: z.string(),
  receivedAt: time,
})

/** What a seller has to decide about. */
const DeclarationNotice = z.object({
  kind: z.literal('declaration_notice'),
  declaration: z.enum(['withdrawal', 'cancellation']),
  effect: z.enum(['none', 'subscription_canceled', 'subscription_ended']),
  number: z.string(),
  name: z.string(),
  email: z.string(),
  contract: z.string(),
  receivedAt: time,
  /** Null for a cancellation. */
  refundDueAt: time.nullable(),
})

/** No more events are delivered to an endpoint of the seller. */
const EndpointDisabled = z.object({
  kind: z.literal('endpoint_disabled'),
  host: z.string(),
  /** Id of the endpoint. */
  number: z.string(),
  failingSince: time.nullable(),
})

/** A payment provider rejects an account of the seller, or its key. */
const PaymentAccountUnhealthy = z.object({
  kind: z.literal('payment_account_unhealthy'),
  ...PaymentAccount.pick({ provider: true, mode: true }).shape,
  /** Its id at the provider. */
  account: z.string().nullable(),
  /** Its id here. */
  number: z.string(),
  reason: z.string().nullable(),
  /** Permissions that the key lacks. */
  lacking: z.array(z.string()),
  rejectedAt: time,
})

/** What a mail states, taken from its event. Stored until it is no longer needed; languages and layout are applied when it is sent. */
export const MailData = z.discriminatedUnion('kind', [
  Receipt,
  Refund,
  SubscriptionChange,
  PlanChange,
  PlanConfirmation,
  TransferRequest,
  RenewalAhead,
  Document,
  Code,
  Invitation,
  PasswordReset,
  DeclarationReceipt,
  DeclarationNotice,
  EndpointDisabled,
  PaymentAccountUnhealthy,
])
export type MailData = z.infer<typeof MailData>

/** Whether this release can write mails of a kind. A replica of a later release may have stored others. */
export const isKnownKind = (kind: string) => MailData.options.some((each) => each.shape.kind.safeParse(kind).success)

export type ReceiptData = z.infer<typeof Receipt>
export type RefundData = z.infer<typeof Refund>
export type SubscriptionChangeData = z.infer<typeof SubscriptionChange>
export type PlanChangeData = z.infer<typeof PlanChange>
export type PlanConfirmationData = z.infer<typeof PlanConfirmation>
export type TransferRequestData = z.infer<typeof TransferRequest>
export type RenewalAheadData = z.infer<typeof RenewalAhead>
export type DocumentData = z.infer<typeof Document>
export type DeclarationData = z.infer<typeof DeclarationReceipt>
export type DeclarationNoticeData = z.infer<typeof DeclarationNotice>
export type EndpointDisabledData = z.infer<typeof EndpointDisabled>
export type PaymentAccountUnhealthyData = z.infer<typeof PaymentAccountUnhealthy>
export type InvitationData = z.infer<typeof Invitation>
