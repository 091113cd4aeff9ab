import type { Answer, Intent, PaymentProvider, Seen } from '../provider.ts'
import { buildPaymentParams, buildSetupParams } from './intent-params.ts'
import { observeIntent } from './observe-intent.ts'
import { findIntent, readIntent, type StripeCalls } from './read-intent.ts'
import { toStripeAmount } from './stripe-amounts.ts'
import { readFailure, toCreateFailure, toFailure } from './stripe-answers.ts'
import { timeoutsMs } from './stripe-client.ts'
import { submitIntent, unexpectedState } from './submit-intent.ts'

type Calls = Pick<PaymentProvider, 'prepare' | 'submit' | 'read' | 'findByOurId' | 'cancel'>

/** Calls about payment intents and setup intents: an object that moves money, or stores a method, once at most. */
export function createIntentCalls(calls: StripeCalls): Calls {
  return {
    prepare: (intent, key) => prepareIntent(calls, intent, key),
    submit: (theirs, intent, key) => submitIntent(calls, { theirs, intent, key }),
    read: (theirs, kind) => readIntent(calls, theirs, kind),
    findByOurId: (intent, since) => findIntent(calls, intent, since),
    async cancel(theirs, kind, key) {
      try {
        const intents = kind === 'charge' ? calls.stripe.paymentIntents : calls.stripe.setupIntents
        const options = { idempotencyKey: key, timeout: timeoutsMs.write }
        return observeIntent(await intents.cancel(theirs, { cancellation_reason: 'abandoned' }, options), calls.observer())
      } catch (error) {
        return unexpectedState.has(readFailure(error)?.code) ? readIntent(calls, theirs, kind) : toFailure(error)
      }
    },
  }
}

async function prepareIntent({ stripe, settings, observer }: StripeCalls, intent: Intent, key: string): Promise<Answer<Seen>> {
  const options = { idempotencyKey: key, timeout: timeoutsMs.write }
  try {
    if (intent.kind === 'setup') {
      return observeIntent(await stripe.setupIntents.create(buildSetupParams(intent, settings.installation), options), observer())
    }
    const amount = intent.money && toStripeAmount(intent.money)
    if (!amount) return { misconfigured: 'amount', detail: 'Stripe does not take this amount in this currency.' }
    return observeIntent(await stripe.paymentIntents.create(buildPaymentParams(intent, amount, settings.installation), options), observer())
  } catch (error) {
    return toCreateFailure(error)
  }
}
