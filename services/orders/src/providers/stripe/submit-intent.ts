import type { Answer, Intent, Seen } from '../provider.ts'
import { buildConfirmParams } from './intent-params.ts'
import { observeIntent } from './observe-intent.ts'
import { readIntent, type StripeCalls } from './read-intent.ts'
import { readFailure, toFailure, type StripeFailure } from './stripe-answers.ts'
import { timeoutsMs } from './stripe-client.ts'
import { toDecline, type StripeDecline } from './stripe-declines.ts'

/** Codes of a request that came too late: the state of the object is the answer. */
export const unexpectedState: ReadonlySet<string | undefined> = new Set([
  'payment_intent_unexpected_state',
  'setup_intent_unexpected_state',
  'intent_invalid_state',
])
const usedToken: ReadonlySet<string | undefined> = new Set(['token_already_used', 'token_in_use'])

interface Submission {
  theirs: string
  intent: Intent
  key: string
}

/** Confirms an intent. A declined payment is an error of Stripe that carries the intent. */
export async function submitIntent(calls: StripeCalls, submission: Submission): Promise<Answer<Seen>> {
  const { theirs, intent, key } = submission
  try {
    const intents = intent.kind === 'charge' ? calls.stripe.paymentIntents : calls.stripe.setupIntents
    const confirmed = await intents.confirm(theirs, buildConfirmParams(intent), { idempotencyKey: key, timeout: timeoutsMs.write })
    return observeIntent(confirmed, calls.observer())
  } catch (error) {
    const failure = readFailure(error)
    return (failure && (await observeRejection(calls, submission, failure))) ?? toFailure(error)
  }
}

/** Translates an error that states something about the object or the method; null for others. */
async function observeRejection(calls: StripeCalls, { theirs, intent }: Submission, failure: StripeFailure): Promise<Answer<Seen> | null> {
  const { statusCode, code, param } = failure
  const observer = calls.observer()
  if (statusCode === 402) {
    const carried = failure.payment_intent ?? failure.setup_intent
    if (carried?.id !== theirs) return readIntent(calls, theirs, intent.kind)
    return declineUntouched(observeIntent(carried, observer), failure, observer.now)
  }
  if (statusCode !== 400 && statusCode !== 404) return null
  const read = () => readIntent(calls, theirs, intent.kind)
  if (unexpectedState.has(code)) return read()
  if (param === 'payment_method' || code === 'payment_method_unexpected_state') {
    return declineUntouched(await read(), { code: 'payment_method_unexpected_state' }, observer.now)
  }
  if (param === 'confirmation_token' || usedToken.has(code))
    return declineUntouched(await read(), { code: 'processing_error' }, observer.now)
  return null
}

/** Stripe rejected the method before the object changed. */
function declineUntouched(answer: Answer<Seen>, reason: StripeDecline, now: Date): Answer<Seen> {
  if (!('got' in answer) || answer.got.is !== 'untouched') return answer
  return { got: { ...answer.got, is: 'declined', decline: toDecline(reason, now) } }
}
