import type Stripe from 'stripe'
import type { Origin } from './stripe-state.ts'

/** The functions below return complete objects of the library's types, so that a key that Stripe adds does not compile without a value. */
/** The functions below return complete objects of the library's types, so that a key that Stripe adds does not compile without a value. */

/** Billing details that the form did not ask for. */
export const noBilling = { address: null, email: null, name: null, phone: null, tax_id: null }

export function buildCharge([world, account]: Origin, intent: Stripe.PaymentIntent, values: Partial<Stripe.Charge>): Stripe.Charge {
  return {
    id: world.createId('ch'),
    object: 'charge',
    created: world.seconds(),
    livemode: account.isLive,
    currency: intent.currency,
    amount: intent.amount,
    amount_captured: intent.amount,
    amount_refunded: 0,
    application: null,
    application_fee: null,
    application_fee_amount: null,
    balance_transaction: null,
    billing_details: noBilling,
    calculated_statement_descriptor: null,
    captured: true,
    customer: intent.customer,
    description: intent.description,
    disputed: false,
    failure_balance_transaction: null,
    failure_code: null,
    failure_message: null,
    fraud_details: {},
    metadata: intent.metadata,
    on_behalf_of: null,
    outcome: null,
    paid: true,
    payment_intent: intent.id,
    payment_method: readId(intent.payment_method),
    payment_method_details: null,
    receipt_email: null,
    receipt_number: null,
    receipt_url: null,
    refunded: false,
    review: null,
    shipping: null,
    source: null,
    source_transfer: null,
    statement_descriptor: null,
    statement_descriptor_suffix: null,
    transfer_data: null,
    transfer_group: null,
    status: 'succeeded',
    ...values,
  }
}

export function buildCustomer([world, account]: Origin, values: Partial<Stripe.Customer>): Stripe.Customer {
  return {
    id: world.createId('cus'),
    object: 'customer',
    created: world.seconds(),
    livemode: account.isLive,
    address: null,
    balance: 0,
    default_source: null,
    description: null,
    email: null,
    metadata: {},
    name: null,
    phone: null,
    shipping: null,
    invoice_settings: { custom_fields: null, default_payment_method: null, footer: null, rendering_options: null },
    ...values,
  }
}

export function buildRefund([world]: Origin, values: Partial<Stripe.Refund> & Pick<Stripe.Refund, 'amount' | 'currency'>): Stripe.Refund {
  return {
    id: world.createId('re'),
    object: 'refund',
    created: world.seconds(),
    balance_transaction: null,
    charge: null,
    customer: null,
    customer_account: null,
    metadata: {},
    payment_intent: null,
    payment_method: null,
    reason: null,
    receipt_number: null,
    source_transfer_reversal: null,
    transfer_reversal: null,
    status: 'succeeded',
    ...values,
  }
}

/** Returns the id of a reference, which is the object itself where it was expanded. */
export function readId(reference: string | { id: string } | null | undefined): string | null {
  return typeof reference === 'string' ? reference : (reference?.id ?? null)
}
