import type Stripe from 'stripe'
import type { Answer, Intent, Seen } from '../provider.ts'
import { observeIntent, type Observer, type StripeIntent } from './observe-intent.ts'
import { metadataKeys, type StripeSettings } from './stripe-account.ts'
import { toCreateFailure, toFailure, unreadable } from './stripe-answers.ts'

/** Dependencies of the calls of one account. */
export interface StripeCalls {
  stripe: Stripe
  settings: StripeSettings
  observer: () => Observer
}

/** Objects after which a list is not read further. */
const maxListed = 100_000

export async function readIntent({ stripe, observer }: StripeCalls, theirs: string, kind: Intent['kind']): Promise<Answer<Seen>> {
  try {
    const intent =
      kind === 'charge'
        ? await stripe.paymentIntents.retrieve(theirs, { expand: ['latest_charge', 'payment_method'] })
        : await stripe.setupIntents.retrieve(theirs, { expand: ['payment_method'] })
    return observeIntent(intent, observer())
  } catch (error) {
    return toFailure(error)
  }
}

/** Finds the object of a lost request in the list of the customer's objects. */
export async function findIntent({ stripe, observer }: StripeCalls, intent: Intent, since: Date): Promise<Answer<Seen>> {
  const params = {
    ...(intent.payer && { customer: intent.payer }),
    created: { gte: Math.floor(since.getTime() / 1000) },
    limit: 100,
    expand: ['data.payment_method'],
  }
  const name = metadataKeys[intent.kind === 'charge' ? 'payment' : 'setup']
  try {
    const list = intent.kind === 'charge' ? stripe.paymentIntents.list(params) : stripe.setupIntents.list(params)
    const found = await findInList<StripeIntent>(list, ({ metadata }) => metadata?.[name] === intent.id)
    if (found === 'too long') return unreadable
    return found ? observeIntent(found, observer()) : { absent: true }
  } catch (error) {
    return toCreateFailure(error)
  }
}

/** Reads a list to its end or to the first object that matches. */
export async function findInList<T>(list: AsyncIterable<T>, matches: (object: T) => boolean): Promise<T | null | 'too long'> {
  let count = 0
  for await (const object of list) {
    if (matches(object)) return object
    count += 1
    if (count >= maxListed) return 'too long'
  }
  return null
}
