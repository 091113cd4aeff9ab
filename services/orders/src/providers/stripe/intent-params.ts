import type Stripe from 'stripe'
import type { Intent, PayerDetails, RefundIntent } from '../provider.ts'
import { metadataKeys } from './stripe-account.ts'

const maxDescriptionLength = 1_000
/** Together with the prefix of the account at most 22 characters. */
const maxStatementLength = 10

/** Returns the parameters of the object of a payment. */
export function buildPaymentParams(intent: Intent, amount: number, installation: string): Stripe.PaymentIntentCreateParams {
  return {
    amount,
    currency: intent.money?.currency ?? '',
    ...buildSharedParams(intent),
    ...(intent.keep && { setup_future_usage: 'off_session' }),
    ...buildStatement(intent.statement),
    metadata: { [metadataKeys.payment]: intent.id, ...buildMetadata(intent, installation) },
  }
}

export function buildSetupParams(intent: Intent, installation: string): Stripe.SetupIntentCreateParams {
  return {
    usage: 'off_session',
    ...buildSharedParams(intent),
    metadata: { [metadataKeys.setup]: intent.id, ...buildMetadata(intent, installation) },
  }
}

function buildSharedParams({ payer, description, buyerPresent, returnUrl }: Intent) {
  return {
    ...(payer && { customer: payer }),
    ...(description && { description: description.slice(0, maxDescriptionLength) }),
    // Without a buyer or an address to return to, methods that leave the page cannot be used.
    automatic_payment_methods: { enabled: true, ...(!(buyerPresent && returnUrl) && { allow_redirects: 'never' as const }) },
  }
}

function buildMetadata({ buyerPresent, references }: Intent, installation: string): Record<string, string> {
  return {
    [metadataKeys.installation]: installation,
    [metadataKeys.organization]: references.organization,
    [metadataKeys.customer]: references.customer,
    ...(references.order && { [metadataKeys.order]: references.order }),
    ...(!buyerPresent && { [metadataKeys.offSession]: 'true' }),
  }
}

/** Stripe rejects these characters, and a text without a Latin one. */
function buildStatement(statement: string | null): { statement_descriptor_suffix?: string } {
  const text = (statement ?? '')
    .replaceAll(/[<>\\'"*]|[^\x20-\x7e]/g, '')
    .trim()
    .slice(0, maxStatementLength)
    .trim()
  return /[A-Za-z]/.test(text) ? { statement_descriptor_suffix: text } : {}
}

type ConfirmParams = Stripe.PaymentIntentConfirmParams & Stripe.SetupIntentConfirmParams

/** Returns the parameters that request the money, or the storage of the method. */
export function buildConfirmParams({ kind, source, buyerPresent, returnUrl }: Intent): ConfirmParams {
  return {
    ...(source && ('token' in source ? { confirmation_token: source.token } : { payment_method: source.method })),
    ...(buyerPresent && returnUrl && { return_url: returnUrl }),
    ...(kind === 'charge' && !buyerPresent && { off_session: true }),
    expand: kind === 'charge' ? ['latest_charge', 'payment_method'] : ['payment_method'],
  }
}

export function buildCustomerParams(
  { id, name, email, country, references }: PayerDetails,
  installation: string,
): Stripe.CustomerCreateParams {
  return {
    email,
    ...(name && { name }),
    ...(country && { address: { country } }),
    metadata: {
      [metadataKeys.payer]: id,
      [metadataKeys.installation]: installation,
      [metadataKeys.organization]: references.organization,
      [metadataKeys.customer]: references.customer,
    },
  }
}

/** Reasons that Stripe knows; `fraudulent` also adds the card to its lists. */
const refundReasons: ReadonlyMap<string, Stripe.RefundCreateParams.Reason> = new Map([
  ['duplicate', 'duplicate'],
  ['fraudulent', 'fraudulent'],
  ['customer_request', 'requested_by_customer'],
])

export function buildRefundParams({ id, payment, reason, references }: RefundIntent, amount: number, installation: string) {
  const known = refundReasons.get(reason)
  return {
    payment_intent: payment.theirs,
    amount,
    ...(known && { reason: known }),
    metadata: {
      [metadataKeys.refund]: id,
      [metadataKeys.installation]: installation,
      [metadataKeys.organization]: references.organization,
      [metadataKeys.order]: references.order,
    },
  } satisfies Stripe.RefundCreateParams
}
