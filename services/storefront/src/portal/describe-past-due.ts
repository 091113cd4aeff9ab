import type { CustomerSubscription } from '@quittance/contracts/customer-subscriptions'
import { dateSentence } from '@quittance/pages/dates'
import { html, type Html } from '@quittance/pages/html'
import type { PageContext } from '../page/page-context.ts'

/** Describes what follows a failed payment: the next attempt or request, or that only the customer can pay, and until when. */
export function describePastDue(subscription: CustomerSubscription, { words: { pay, transferRenewal }, locale }: PageContext): Html {
  const { next_payment_attempt_at: next, ends_unpaid_at: end, is_paid_by_transfer: isPaidByTransfer } = subscription
  const { cancel_at_period_end, current_period_end } = subscription
  const reason = isPaidByTransfer ? transferRenewal.late : pay.declined
  const failed = cancel_at_period_end && current_period_end ? dateSentence(pay.paused, current_period_end, locale) : reason
  if (next) return html`${failed} ${dateSentence(isPaidByTransfer ? transferRenewal.askedAgain : pay.retriedOn, next, locale)}`
  // Orders of the release before states neither.
  if (next === undefined) return html`${failed}`
  return html`${failed} ${!isPaidByTransfer && pay.notRetried} ${end && dateSentence(pay.endsUnpaid, end, locale)}`
}
