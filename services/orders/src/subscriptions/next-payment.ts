import { paidPayments } from '../payments/provider-account.ts'
import { hasLiveAccount } from '../providers/processor-metadata.ts'
import { countDeclines, finalDeclines, maxMethodDeclines, methodToCharge } from './charge-conditions.ts'
import { isOwed } from './owed-orders.ts'

/** Times of the clock of the organization `g` of a subscription `s`. While a payment is in progress, its attempt is the next one. */
const clock = `g.clock_offset_ms * interval '1 millisecond'`
const attemptAt = `coalesce(s.due_at, date_trunc('milliseconds', now())) + ${clock}`

/** Whether the last payment of a subscription `s` was sent to a bank account. Few sellers have one: the others pay for no search. */
const isSentByBuyer = `exists (select from payment_accounts b where b.organization_id = s.organization_id and b.provider = 'bank_transfer')
      and coalesce((select a.provider = 'bank_transfer' from ${paidPayments('s.id')} order by p.applied_at desc limit 1), false)`

/** A subscription `s` of release 0.1.0 has a token of the sandbox, which is charged whatever was declined before. */
const isTokenCharged = `s.payment_token is not null and s.payment_method_id is null and not ${hasLiveAccount('s.organization_id')}`

/** Whether a method may be charged for something that is owed. */
const isMethodCharged = `(${countDeclines('attempt.method_id', 'attempt.at')}) < ${maxMethodDeclines}
        and exists (select from (select o.id from orders o where o.subscription_id = s.id and ${isOwed}) owed
          where not exists (${finalDeclines('owed.id', 'attempt.method_id')}))`

/**
 * SQL of when what a past due subscription `s` owes is charged again, or its buyer is asked for a transfer again, as `chargeOrder` does; null
 * if neither is: an attempt of the schedule charges nothing with a method that was declined for good or too often, and none follows the end.
 * A transfer that was asked for is not asked for again while it is awaited.
 */
const nextAttemptAt = `case when s.status = 'past_due' then (
      select attempt.at from (select ${attemptAt} as at, ${methodToCharge} as method_id from organizations g where g.id = s.organization_id) attempt
      where not (s.cancel_at_period_end and attempt.at >= s.current_period_end)
        and case when attempt.method_id is not null then ${isMethodCharged}
          when ${isSentByBuyer} then s.due_at is not null
          else ${isTokenCharged} end
    ) end`

/** SQL of when a past due subscription `s` ends if nothing is paid; null while a payment is in progress, and if the seller lets it stay unpaid. */
const endsUnpaidAt = `case when s.status = 'past_due' and s.due_at is not null then (
      select least(
        case when g.after_last_try = 'canceled' or s.cancel_at_period_end then s.due_at + ${clock}
          + (select coalesce(sum(days), 0) from unnest(g.retry_after_days[s.failed_charges + 1:]) days) * interval '1 day' end,
        case when s.cancel_at_period_end then s.current_period_end end)
      from organizations g where g.id = s.organization_id
    ) end`

/** Columns of a subscription `s` about its next payment, and about what follows while it owes one. */
export const nextPaymentColumns = `${isSentByBuyer} and ${methodToCharge} is null as is_paid_by_transfer,
    ${nextAttemptAt} as next_payment_attempt_at, ${endsUnpaidAt} as ends_unpaid_at`
