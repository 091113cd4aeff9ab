import { countDeclines, finalDeclines, maxMethodDeclines, methodToCharge } from './charge-conditions.ts'
import { isOwed } from './owed-orders.ts'

/** Times of the clock of the organization `g` of a subscription `s`. While a payment is in progress, its attempt is the next one. */
const clock = `g.clock_offset_ms * interval '1 millisecond'`
const attemptAt = `coalesce(s.due_at, date_trunc('milliseconds', now())) + ${clock}`

/**
 * SQL of when a stored method is charged again for what a past due subscription `s` owes; null if none is: an attempt of the schedule charges
 * nothing with a method that was declined for good or too often, and none follows the end.
 */
const nextAttemptAt = `case when s.status = 'past_due' then (
      select attempt.at from (select ${attemptAt} as at, ${methodToCharge} as method_id from organizations g where g.id = s.organization_id) attempt
      where attempt.method_id is not null and not (s.cancel_at_period_end and attempt.at >= s.current_period_end)
        and (${countDeclines('attempt.method_id', 'attempt.at')}) < ${maxMethodDeclines}
        and exists (select from (select o.id from orders o where o.subscription_id = s.id and ${isOwed}) owed
          where not exists (${finalDeclines('owed.id', 'attempt.method_id')}))
    ) end`

/** SQL of when a past due subscription `s` ends if nothing is paid; null while a payment is in progress, and if the seller lets it stay unpaid. */
const endsUnpaidAt = `case when s.status = 'past_due' and s.due_at is not null then (
      select least(
        case when g.after_last_try = 'canceled' or s.cancel_at_period_end then s.due_at + ${clock}
          + (select coalesce(sum(days), 0) from unnest(g.retry_after_days[s.failed_charges + 1:]) days) * interval '1 day' end,
        case when s.cancel_at_period_end then s.current_period_end end)
      from organizations g where g.id = s.organization_id
    ) end`

/** Columns of a subscription `s` about what follows while it owes a payment. */
export const pastDueColumns = `${nextAttemptAt} as next_payment_attempt_at, ${endsUnpaidAt} as ends_unpaid_at`
