import type Stripe from 'stripe'
import { noBilling } from './build-objects.ts'
import type { Origin } from './stripe-state.ts'

export function buildCardMethod([world, account]: Origin, values: Partial<Stripe.PaymentMethod>): Stripe.PaymentMethod {
  return {
    id: world.createId('pm'),
    object: 'payment_method',
    created: world.seconds(),
    livemode: account.isLive,
    type: 'card',
    allow_redisplay: 'unspecified',
    billing_details: noBilling,
    customer: null,
    customer_account: null,
    metadata: {},
    card: {
      brand: 'visa',
      checks: null,
      country: 'DE',
      display_brand: 'visa',
      exp_month: 12,
      exp_year: 2034,
      fingerprint: world.createId('fp'),
      funding: 'credit',
      generated_from: null,
      last4: '4242',
      networks: null,
      regulated_status: null,
      three_d_secure_usage: null,
      wallet: null,
    },
    ...values,
  }
}

export function buildSepaMethod(origin: Origin): Stripe.PaymentMethod {
  const { card: _, ...rest } = buildCardMethod(origin, { type: 'sepa_debit' })
  const sepa = { bank_code: '37040044', branch_code: '', country: 'DE', fingerprint: 'fp_sepa', generated_from: null, last4: '3000' }
  return { ...rest, sepa_debit: sepa }
}

export function buildToken([world, account]: Origin, method: Stripe.PaymentMethod): Stripe.ConfirmationToken {
  const { billing_details, type } = method
  return {
    id: world.createId('ctoken'),
    object: 'confirmation_token',
    created: world.seconds(),
    livemode: account.isLive,
    metadata: {},
    expires_at: world.seconds() + 12 * 3600,
    mandate_data: null,
    payment_intent: null,
    setup_intent: null,
    payment_method_options: null,
    payment_method_preview: { billing_details, customer: null, customer_account: null, type },
    return_url: null,
    setup_future_usage: null,
    shipping: null,
    use_stripe_sdk: true,
  }
}
