import type Stripe from 'stripe'
import { buildCharge, readId } from './build-objects.ts'
import { readText, type FormParameters } from './form-body.ts'
import { openDispute } from './move-refunds.ts'
import { StripeRejection, type Origin } from './stripe-state.ts'
import { adviceByDecline, declinesWithOwnCode, testCards } from './test-cards.ts'

export type FakeIntent = Stripe.PaymentIntent | Stripe.SetupIntent

/** Completes an intent: captures the money, and stores the method if it will be charged later. */
export function succeed([world, account]: Origin, { intent, method }: { intent: FakeIntent; method: Stripe.PaymentMethod }): FakeIntent {
  Object.assign(intent, { status: 'succeeded', next_action: null })
  if (intent.object === 'setup_intent') {
    method.customer = readId(intent.customer)
    world.publish(account, 'setup_intent.succeeded', intent)
    return intent
  }
  if (intent.setup_future_usage) method.customer = readId(intent.customer)
  const charge = buildCharge([world, account], intent, {})
  account.charges.set(charge.id, charge)
  Object.assign(intent, { latest_charge: charge.id, amount_received: intent.amount })
  account.movements.push({ kind: 'captured', amount: intent.amount, currency: intent.currency, intent: intent.id })
  world.publish(account, 'payment_intent.succeeded', intent)
  if (testCards[account.cards.get(method.id) ?? '']?.isDisputed) openDispute([world, account], charge)
  return intent
}

/** Declines an attempt. The error carries the intent. */
export function declineIntent([world, account]: Origin, intent: FakeIntent, declineCode: string): never {
  const code = declinesWithOwnCode.has(declineCode) ? declineCode : 'card_declined'
  const error = {
    type: 'card_error' as const,
    code,
    decline_code: declineCode,
    advice_code: adviceByDecline[declineCode],
    message: 'Your card was declined.',
  }
  Object.assign(intent, { status: 'requires_payment_method', payment_method: null, next_action: null })
  if (intent.object === 'payment_intent') {
    const charge = buildCharge([world, account], intent, {
      status: 'failed',
      paid: false,
      captured: false,
      amount_captured: 0,
      failure_code: code,
    })
    account.charges.set(charge.id, charge)
    Object.assign(intent, { latest_charge: charge.id, last_payment_error: error })
    world.publish(account, 'payment_intent.payment_failed', intent)
    throw new StripeRejection(402, { ...error, payment_intent: structuredClone(intent) }, true)
  }
  Object.assign(intent, { last_setup_error: error })
  world.publish(account, 'setup_intent.setup_failed', intent)
  throw new StripeRejection(402, { ...error, setup_intent: structuredClone(intent) }, true)
}

/** Cancels an intent that moved no money yet. */
export function cancelIntent([world, account]: Origin, intent: FakeIntent, params: FormParameters): FakeIntent {
  const { object, status } = intent
  if (status === 'succeeded' || status === 'canceled' || status === 'processing') {
    const message = `You cannot cancel this ${object} because it has a status of ${status}.`
    throw new StripeRejection(400, { type: 'invalid_request_error', code: `${object}_unexpected_state`, message }, true)
  }
  Object.assign(intent, { status: 'canceled', next_action: null, cancellation_reason: readText(params['cancellation_reason']) })
  if (object === 'payment_intent') Object.assign(intent, { canceled_at: world.seconds() })
  world.publish(account, `${object}.canceled`, intent)
  return intent
}
