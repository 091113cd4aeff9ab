import { getPaymentTimeline as contract } from '@quittance/contracts/order-payments'
import type { ReplyOf } from '@quittance/contracts/operation'
import { query } from '@quittance/runtime/handler'
import { paymentView } from './payment-queries.ts'

const sources = {
  payment: { table: 'payments', initiator: 'p.initiator', theirs: 'p.provider_payment', resolved: 'd.payment_id' },
  setup: { table: 'payment_setups', initiator: `'buyer'`, theirs: 'p.provider_setup', resolved: 'd.payment_setup_id' },
} as const

/** Returns the moments that payments and setups have in common, as a part of a statement. */
function buildMoments(kind: keyof typeof sources, scope: string): string {
  const { table, initiator, theirs, resolved } = sources[kind]
  const row = `${table} p where p.id = :id and ${scope}`
  return `
    select p.created_at as at, 'created' as what, ${initiator} as detail, 0 as rank from ${row}
    union all select p.submitted_at, 'submitted', ${theirs}, 1 from ${row}
    union all select p.declined_at, 'declined', p.decline_code, 2 from ${row}
    union all select p.quarantined_at, 'quarantined', p.quarantine_reason, 3 from ${row}
    union all select e.received_at, 'event', e.type, 4 from provider_events e join ${table} p
      on p.payment_account_id = e.payment_account_id and ${theirs} = e.object where p.id = :id and ${scope}
    union all select d.created_at, case when d.is_forced then 'resolved by force' else 'resolved' end,
      'as ' || d.resolved_as || ', the provider reported ' || d.provider_state || ': ' || d.because, 5
      from payment_resolutions d join ${table} p on p.id = ${resolved} where p.id = :id and ${scope}
    union all select p.settled_at, p.state, p.failure_reason, 6 from ${row}`
}

function orderMoments(moments: string): string {
  return `
  select to_json(at)#>>'{}' as at, what, detail from (${moments}) moments
  where at is not null order by moments.at, rank`
}

/** Returns the statement of what happened to a payment, oldest first. `scope` is a condition of the payment `p`. */
export function buildTimeline(scope: string): string {
  return orderMoments(`${buildMoments('payment', scope)}
    union all select p.surplus_at, 'surplus', null, 7 from payments p where p.id = :id and ${scope}
    union all select r.created_at, 'refund', r.state, 8 from refunds r join payments p on p.id = r.payment_id where p.id = :id and ${scope}
    union all select d.created_at, 'disputed', d.status, 9 from disputes d join payments p on p.id = d.payment_id where p.id = :id and ${scope}`)
}

/** Returns the same statement of a setup. */
export function buildSetupTimeline(scope: string): string {
  return orderMoments(buildMoments('setup', scope))
}

const timeline = buildTimeline('p.organization_id = any (:scope_organizations)')

export const getPaymentTimeline = query(contract, async ({ id }, { read, sql }) => {
  await read.one(paymentView, { where: 'pa.id = :id', values: { id } })
  return { payment_id: id, items: await sql<ReplyOf<typeof contract>['items'][number]>('payment.timeline-of-seller', timeline, { id }) }
})
