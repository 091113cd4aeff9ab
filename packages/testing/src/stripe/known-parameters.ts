import type Stripe from 'stripe'
import { createParameterError } from './stripe-state.ts'
import type { FormParameters } from './form-body.ts'

type Keys<Params> = Readonly<Record<keyof Params, true>>

/**
 * Parameters of the calls that the adapter makes, by route: exactly the keys of the library's types. A parameter that Stripe adds or removes
 * does not compile, and one that it does not know is rejected as by Stripe.
 */
const expand = { expand: true } as const
const page = { ending_before: true, limit: true, starting_after: true } as const

const confirmPayment: Keys<Stripe.PaymentIntentConfirmParams> = {
  allowed_payment_method_types: true,
  amount_details: true,
  amount_to_confirm: true,
  capture_method: true,
  confirmation_token: true,
  error_on_requires_action: true,
  excluded_payment_method_types: true,
  hooks: true,
  mandate: true,
  mandate_data: true,
  off_session: true,
  payment_details: true,
  payment_method: true,
  payment_method_data: true,
  payment_method_options: true,
  radar_options: true,
  receipt_email: true,
  return_url: true,
  setup_future_usage: true,
  shipping: true,
  use_stripe_sdk: true,
  ...expand,
}

const createPayment: Keys<Stripe.PaymentIntentCreateParams> = {
  allowed_payment_method_types: true,
  amount: true,
  amount_details: true,
  application_fee_amount: true,
  automatic_payment_methods: true,
  capture_method: true,
  confirm: true,
  confirmation_method: true,
  confirmation_token: true,
  currency: true,
  customer: true,
  customer_account: true,
  description: true,
  error_on_requires_action: true,
  excluded_payment_method_types: true,
  hooks: true,
  mandate: true,
  mandate_data: true,
  metadata: true,
  off_session: true,
  on_behalf_of: true,
  payment_details: true,
  payment_method: true,
  payment_method_configuration: true,
  payment_method_data: true,
  payment_method_options: true,
  radar_options: true,
  receipt_email: true,
  return_url: true,
  setup_future_usage: true,
  shipping: true,
  statement_descriptor: true,
  statement_descriptor_suffix: true,
  transfer_data: true,
  transfer_group: true,
  use_stripe_sdk: true,
  ...expand,
}

const createSetup: Keys<Stripe.SetupIntentCreateParams> = {
  allowed_payment_method_types: true,
  attach_to_self: true,
  automatic_payment_methods: true,
  confirm: true,
  confirmation_token: true,
  customer: true,
  customer_account: true,
  description: true,
  excluded_payment_method_types: true,
  flow_directions: true,
  mandate_data: true,
  metadata: true,
  on_behalf_of: true,
  payment_method: true,
  payment_method_configuration: true,
  payment_method_data: true,
  payment_method_options: true,
  return_url: true,
  single_use: true,
  usage: true,
  use_stripe_sdk: true,
  ...expand,
}

const confirmSetup: Keys<Stripe.SetupIntentConfirmParams> = {
  allowed_payment_method_types: true,
  confirmation_token: true,
  mandate_data: true,
  payment_method: true,
  payment_method_data: true,
  payment_method_options: true,
  return_url: true,
  use_stripe_sdk: true,
  ...expand,
}

const customer: Keys<Stripe.CustomerCreateParams> = {
  address: true,
  balance: true,
  business_name: true,
  cash_balance: true,
  description: true,
  email: true,
  individual_name: true,
  invoice_prefix: true,
  invoice_settings: true,
  metadata: true,
  name: true,
  next_invoice_sequence: true,
  payment_method: true,
  phone: true,
  preferred_locales: true,
  shipping: true,
  source: true,
  tax: true,
  tax_exempt: true,
  tax_id_data: true,
  test_clock: true,
  validate: true,
  ...expand,
}

const createRefund: Keys<Stripe.RefundCreateParams> = {
  amount: true,
  charge: true,
  currency: true,
  customer: true,
  instructions_email: true,
  metadata: true,
  origin: true,
  payment_intent: true,
  reason: true,
  refund_application_fee: true,
  reverse_transfer: true,
  ...expand,
}

const cancelPayment: Keys<Stripe.PaymentIntentCancelParams> = { cancellation_reason: true, ...expand }
const listPayments: Keys<Stripe.PaymentIntentListParams> = { created: true, customer: true, customer_account: true, ...page, ...expand }
const listSetups: Keys<Stripe.SetupIntentListParams> = { attach_to_self: true, payment_method: true, ...listPayments }
const listRefunds: Keys<Stripe.RefundListParams> = { charge: true, created: true, payment_intent: true, ...page, ...expand }
const listEvents: Keys<Stripe.EventListParams> = { created: true, delivery_success: true, type: true, types: true, ...page, ...expand }
const listMethods: Keys<Stripe.CustomerListPaymentMethodsParams> = { allow_redisplay: true, type: true, ...page, ...expand }

const byRoute: Readonly<Record<string, Readonly<Record<string, true>>>> = {
  'POST /v1/payment_intents': createPayment,
  'POST /v1/payment_intents/:id/confirm': confirmPayment,
  'POST /v1/payment_intents/:id/cancel': cancelPayment,
  'GET /v1/payment_intents': listPayments,
  'POST /v1/setup_intents': createSetup,
  'POST /v1/setup_intents/:id/confirm': confirmSetup,
  'POST /v1/setup_intents/:id/cancel': cancelPayment satisfies Keys<Stripe.SetupIntentCancelParams>,
  'GET /v1/setup_intents': listSetups,
  'POST /v1/customers': customer,
  'POST /v1/customers/:id': { ...customer, default_source: true },
  'GET /v1/customers/:id/payment_methods': listMethods,
  'POST /v1/refunds': createRefund,
  'GET /v1/refunds': listRefunds,
  'GET /v1/events': listEvents,
}

/** Rejects parameters that Stripe does not know. */
export function assertKnownParameters(route: string, params: FormParameters): void {
  const known = byRoute[route] ?? expand
  for (const name of Object.keys(params)) {
    if (!Object.hasOwn(known, name)) throw createParameterError(name, `Received unknown parameter: ${name}`, 'parameter_unknown')
  }
}
