import { getPaymentTimeline as contract } from '@quittance/contracts/order-payments'
import type { ReplyOf } from '@quittance/contracts/operation'
import { query } from '@quittance/runtime/handler'
import { paymentView } from './payment-queries.ts'

/** Returns the statement of what happened to a payment, oldest first. `scope` is a condition of the payment `p`. */
export function buildTimeline(scope: string): string {
  const payment = `payments p where p.id = :id and ${scope}`
  return `
  select to_json(at)#>>'{}' as at, what, detail from (
    select p.created_at as at, 'created' as what, p.initiator as detail, 0 as rank from ${payment}
    union all select p.submitted_at, 'submitted', p.provider_payment, 1 from ${payment}
    union all select p.declined_at, 'declined', p.decline_code, 2 from ${payment}
    union all select p.quarantined_at, 'quarantined', p.quarantine_reason, 3 from ${payment}
    union all select e.received_at, 'event', e.type, 4 from provider_events e join payments p
      on p.payment_account_id = e.payment_account_id and p.provider_payment = e.object where p.id = :id and ${scope}
    union all select d.created_at, case when d.is_forced then 'resolved by force' else 'resolved' end,
      'as ' || d.resolved_as || ', the provider reported ' || d.provider_state || ': ' || d.because, 5
      from payment_resolutions d join payments p on p.id = d.payment_id where p.id = :id and ${scope}
    union all select p.settled_at, p.state, p.failure_reason, 6 from ${payment}
    union all select p.surplus_at, 'surplus', null, 7 from ${payment}
    union all select r.created_at, 'refund', r.state, 8 from refunds r join payments p on p.id = r.payment_id where p.id = :id and ${scope}
    union all select d.created_at, 'disputed', d.status, 9 from disputes d join payments p on p.id = d.payment_id where p.id = :id and ${scope}) moments
  where at is not null order by moments.at, rank`
}

const timeline = buildTimeline('p.organization_id = any (:scope_organizations)')

export const getPaymentTimeline = query(contract, async ({ id }, { read, sql }) => {
  await read.one(paymentView, { where: 'pa.id = :id', values: { id } })
  return { payment_id: id, items: await sql<ReplyOf<typeof contract>['items'][number]>('payment.timeline-of-seller', timeline, { id }) }
})
