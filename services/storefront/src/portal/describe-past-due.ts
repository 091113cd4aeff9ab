import type { CustomerSubscription } from '@quittance/contracts/customer-subscriptions'
import { dateSentence } from '@quittance/pages/dates'
import { html, type Html } from '@quittance/pages/html'
import type { PageContext } from '../page/page-context.ts'

/** Describes what follows a failed payment: the next attempt, or that only the customer can pay, and until when. */
export function describePastDue(
  { next_payment_attempt_at: next, ends_unpaid_at: end, cancel_at_period_end, current_period_end }: CustomerSubscription,
  { words: { pay }, locale }: PageContext,
): Html {
  const failed = cancel_at_period_end && current_period_end ? dateSentence(pay.paused, current_period_end, locale) : pay.declined
  if (next) return html`${failed} ${dateSentence(pay.retriedOn, next, locale)}`
  // Orders of the release before states neither.
  if (next === undefined) return html`${failed}`
  return html`${failed} ${pay.notRetried} ${end && dateSentence(pay.endsUnpaid, end, locale)}`
}
