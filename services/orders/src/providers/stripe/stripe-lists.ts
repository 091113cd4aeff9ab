import type Stripe from 'stripe'
import type { Answer, Listed, ListPage, ListRequest, ProviderLists } from '../provider.ts'
import { observeIntent } from './observe-intent.ts'
import { observeRefund } from './observe-refund.ts'
import type { StripeCalls } from './read-intent.ts'
import { metadataKeys } from './stripe-account.ts'
import { toCreateFailure } from './stripe-answers.ts'

interface StripeObject {
  id: string
  created: number
  metadata: Stripe.Metadata | null
}

/** Creates the lists of an account. They have the objects of every user of the account, newest first. */
export function createLists(calls: StripeCalls): ProviderLists {
  return {
    payments: (request) =>
      readPage(
        () => calls.stripe.paymentIntents.list(toParams(request)),
        (intent) => toListed(intent, { key: metadataKeys.payment, calls, answer: observeIntent(intent, calls.observer()) }),
      ),
    refunds: (request) =>
      readPage(
        () => calls.stripe.refunds.list(toParams(request)),
        (refund) => toListed(refund, { key: metadataKeys.refund, calls, answer: observeRefund(refund, calls.observer()) }),
      ),
  }
}

function toParams({ since, until, limit, after }: ListRequest) {
  const toSeconds = (at: Date) => Math.floor(at.getTime() / 1000)
  return { created: { gte: toSeconds(since), ...(until && { lte: toSeconds(until) }) }, limit, ...(after && { starting_after: after }) }
}

async function readPage<T extends StripeObject, Seen>(
  list: () => PromiseLike<Stripe.ApiList<T>>,
  translate: (object: T) => Listed<Seen>,
): Promise<Answer<ListPage<Seen>>> {
  try {
    const { data, has_more } = await list()
    return { got: { objects: data.map(translate), next: has_more ? (data.at(-1)?.id ?? null) : null } }
  } catch (error) {
    return toCreateFailure(error)
  }
}

/** Two installations can use one account: each only has its own objects. */
function toListed<Seen>(
  { id, created, metadata }: StripeObject,
  { key, calls, answer }: { key: string; calls: StripeCalls; answer: Answer<Seen> },
): Listed<Seen> {
  return {
    theirs: id,
    createdAt: new Date(created * 1000),
    isOurs: metadata?.[key] !== undefined && metadata[metadataKeys.installation] === calls.settings.installation,
    seen: 'got' in answer ? answer.got : null,
  }
}
