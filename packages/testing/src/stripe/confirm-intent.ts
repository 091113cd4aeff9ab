import type Stripe from 'stripe'
import { buildCardMethod, buildSepaMethod } from './build-methods.ts'
import { readId } from './build-objects.ts'
import { readText, type FormParameters } from './form-body.ts'
import { declineIntent, succeed, type FakeIntent } from './intent-outcomes.ts'
import { createMissingError, createParameterError, StripeRejection, type Origin } from './stripe-state.ts'
import { testCards, type TestCard } from './test-cards.ts'

/** Confirms an intent: the transitions, errors and events of Stripe. */
export function confirmIntent([world, account]: Origin, intent: FakeIntent, params: FormParameters): FakeIntent {
  const isOffSession = readText(params['off_session']) === 'true'
  assertConfirmable(intent)
  const method = takeMethod([world, account], intent, params)
  if (needsReturnUrl(intent, isOffSession) && !readText(params['return_url'])) {
    throw createParameterError('return_url', 'This intent accepts methods that redirect, so it must be confirmed with a return_url.')
  }
  Object.assign(intent, {
    payment_method: method.id,
    ...(intent.object === 'payment_intent' ? { last_payment_error: null } : { last_setup_error: null }),
  })
  const card = testCards[account.cards.get(method.id) ?? ''] ?? {}
  return executeAttempt([world, account], { intent, method, card, isOffSession })
}

function assertConfirmable({ object, status }: FakeIntent): void {
  if (status === 'requires_payment_method' || status === 'requires_confirmation' || status === 'requires_action') return
  const message = `You cannot confirm this ${object} because it has a status of ${status}.`
  throw new StripeRejection(400, { type: 'invalid_request_error', code: `${object}_unexpected_state`, message }, true)
}

function needsReturnUrl({ automatic_payment_methods: automatic }: FakeIntent, isOffSession: boolean): boolean {
  return !isOffSession && automatic?.enabled === true && automatic.allow_redirects !== 'never'
}

function takeMethod([world, account]: Origin, intent: FakeIntent, params: FormParameters): Stripe.PaymentMethod {
  const tokenId = readText(params['confirmation_token'])
  if (tokenId) return takeToken([world, account], intent, tokenId)
  const id = readText(params['payment_method']) ?? readId(intent.payment_method)
  if (!id) throw createParameterError('payment_method', 'The intent has no payment method.', 'parameter_missing')
  const method = account.methods.get(id)
  if (!method) throw createMissingError('PaymentMethod', id, 'payment_method')
  if (!method.customer || readId(method.customer) !== readId(intent.customer)) {
    throw createParameterError('payment_method', 'The payment method was detached from its customer, or belongs to another one.')
  }
  return method
}

function takeToken([world, account]: Origin, intent: FakeIntent, id: string): Stripe.PaymentMethod {
  const token = account.tokens.get(id)
  if (!token) throw createMissingError('confirmation_token', id, 'confirmation_token')
  if (token.payment_intent || token.setup_intent || (token.expires_at ?? 0) <= world.seconds()) {
    throw createParameterError('confirmation_token', 'The confirmation token was used or has expired.')
  }
  assertSameTerms(account, intent, id)
  token[intent.object] = intent.id
  const name = account.cards.get(id) ?? 'pm_card_visa'
  const method = testCards[name]?.isSlow ? buildSepaMethod([world, account]) : buildCardMethod([world, account], {})
  account.methods.set(method.id, method)
  account.cards.set(method.id, name)
  return method
}

/** Stripe rejects a token of a form for another amount, currency or use. */
function assertSameTerms(account: Origin[1], intent: FakeIntent, tokenId: string): void {
  const terms = account.tokenTerms.get(tokenId)
  if (!terms || intent.object !== 'payment_intent') return
  const expected = [intent.amount, intent.currency, intent.setup_future_usage ?? null]
  const given = [terms.amount ?? 0, terms.currency, terms.setupFutureUsage ?? null]
  if (given.every((value, index) => value === expected[index])) return
  throw createParameterError('confirmation_token', `The provided terms (${given}) do not match the expected terms (${expected}).`)
}

interface Attempt {
  intent: FakeIntent
  method: Stripe.PaymentMethod
  card: TestCard
  isOffSession: boolean
}

function executeAttempt([world, account]: Origin, { intent, method, card, isOffSession }: Attempt): FakeIntent {
  const declined = card.declined ?? (isOffSession ? card.declinedLater : undefined)
  if (declined) declineIntent([world, account], intent, declined)
  if (isOffSession && card.authentication === 'always') declineIntent([world, account], intent, 'authentication_required')
  if (!isOffSession && card.authentication) {
    const sdk = { type: 'use_stripe_sdk', use_stripe_sdk: {} }
    Object.assign(intent, { status: 'requires_action', next_action: sdk })
    if (intent.object === 'payment_intent') world.publish(account, 'payment_intent.requires_action', intent)
    return intent
  }
  if (card.isSlow && intent.object === 'payment_intent') {
    intent.status = 'processing'
    world.publish(account, 'payment_intent.processing', intent)
    return intent
  }
  return succeed([world, account], { intent, method })
}
