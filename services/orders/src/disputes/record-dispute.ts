import { disputeCreated, disputeUpdated } from '@quittance/contracts/disputes'
import type { Transaction } from '@quittance/runtime/handler'
import { changedMethod, publishChangedMethods, type ChangedMethod } from '../payment-methods/publish-changed-methods.ts'
import type { ProviderAccount } from '../providers/provider-of.ts'
import type { Money, SeenDispute } from '../providers/provider.ts'
import { disputeView } from './dispute-queries.ts'

/** `later`: it cannot be recorded now; nothing was written. */
export type RecordedDispute = 'recorded' | 'not_ours' | 'later'

/** Both cases are found by an index, which `is not distinct from` is not. */
const ofAccount = (condition: string) =>
  `(payment_account_id = :account::uuid and ${condition} or :account::uuid is null and payment_account_id is null and ${condition})`

const findPayment = `
  select id, order_id, currency, payment_method_id from payments
  where ${ofAccount('provider_payment = :payment')} and organization_id = any (:scope_organizations)`

const findKnown = `
  select status, amount::text, funds, reason, to_json(evidence_due_by)#>>'{}' as evidence_due_by from disputes
  where ${ofAccount('provider_dispute = :theirs')} and organization_id = any (:scope_organizations)`

interface KnownDispute {
  status: string
  /** Minor units. */
  amount: string
  funds: string
  reason: string
  evidence_due_by: string | null
}

/**
 * A read that began earlier changes nothing. An inquiry can become a dispute of another amount; once funds were withdrawn it stays, because the
 * ledger has booked it. Reinstated funds stay so: the ledger books each direction once. The provider returns the funds of
 * a won dispute later, or never all of them: after half a year it is not read again.
 */
const upsert = `
  insert into disputes as d (id, created_at, organization_id, payment_id, payment_account_id, provider_dispute, status, amount, currency, reason,
    evidence_due_by, funds, next_check_at, observed_at)
  select gen_random_uuid(), now(), p.organization_id, p.id, p.payment_account_id, :theirs, :status::text, :amount::bigint, p.currency, :reason::text,
    :evidence_due_by::timestamptz, :funds::text, :next_check_at::timestamptz, :observed_at::timestamptz
  from payments p where p.id = :payment_id and p.organization_id = any (:scope_organizations)
  on conflict on constraint disputes_unique_at_provider do update set status = excluded.status, reason = excluded.reason,
    amount = case when d.funds = 'none' then excluded.amount else d.amount end,
    evidence_due_by = excluded.evidence_due_by, funds = case when d.funds = 'reinstated' then d.funds else excluded.funds end,
    next_check_at = case when excluded.status <> 'won' or d.created_at > now() - interval '180 days' then excluded.next_check_at end,
    observed_at = excluded.observed_at, leased_until = null, modified_at = now(), version = d.version + 1
  where d.observed_at <= excluded.observed_at
  returning d.id, d.status, d.amount::text, d.funds, d.reason, to_json(d.evidence_due_by)#>>'{}' as evidence_due_by`

/** A disputed method is not charged again by itself. Another one can then be the default. */
const blockMethod = `
  update payment_methods set status = 'blocked', is_default = false, modified_at = now(), version = version + 1
  where id = :id and status = 'active' and organization_id = any (:scope_organizations) returning ${changedMethod}`

const final = new Set(['won', 'lost', 'prevented', 'closed'])
const blocking = new Set(['needs_response', 'under_review', 'lost'])
const dayMs = 86_400_000

interface DisputedPayment {
  id: string
  order_id: string
  currency: string
  payment_method_id: string | null
}

interface Reported {
  account: ProviderAccount
  seen: SeenDispute
  readAt: Date
}

/** Records what the provider reports about a dispute, and publishes what changed. The database books its funds. */
export async function recordDispute(context: Transaction, { account, seen, readAt }: Reported): Promise<RecordedDispute> {
  const { sql, log } = context
  const ids = { account: account.id, payment: seen.payment }
  const [payment] = await sql<DisputedPayment>('dispute.find-payment', findPayment, ids)
  if (!payment) return 'not_ours'
  const { money, status } = seen
  if (!money || money.currency !== payment.currency || seen.account !== account.providerAccount || seen.mode !== account.mode) {
    log.error({ payment_id: payment.id, provider_dispute: seen.theirs }, 'dispute.not-recorded')
    return 'later'
  }
  await saveDispute(context, { payment, money, account, seen, readAt })
  if (!blocking.has(status) || !payment.payment_method_id) return 'recorded'
  const blocked = await sql<ChangedMethod>('dispute.block-method', blockMethod, { id: payment.payment_method_id })
  await publishChangedMethods(context, blocked)
  return 'recorded'
}

/** Two reads of one dispute wait for each other, so that each change is published once. */
async function saveDispute(
  { sql, now, lockNames, publish, read }: Transaction,
  { payment, money, account, seen, readAt }: Reported & { payment: DisputedPayment; money: Money },
): Promise<void> {
  const { theirs, status, reason, funds } = seen
  const isReturnAwaited = status === 'won' && funds === 'withdrawn'
  await lockNames([`dispute ${account.id} ${theirs}`])
  const [before] = await sql<KnownDispute>('dispute.find-known', findKnown, { account: account.id, theirs })
  const [saved] = await sql<KnownDispute & { id: string }>('dispute.upsert', upsert, {
    payment_id: payment.id,
    theirs,
    status,
    amount: String(money.amount),
    reason,
    funds,
    evidence_due_by: seen.evidenceDueBy,
    observed_at: readAt,
    next_check_at: final.has(status) && !isReturnAwaited ? null : new Date(now.getTime() + dayMs),
  })
  if (!saved || (before && isSame(before, saved))) return
  const payload = await read.one(disputeView, { where: 'd.id = :id', values: { id: saved.id } })
  const event = before ? disputeUpdated : disputeCreated
  publish({ event, aggregateId: payment.order_id, organizationId: account.organizationId, payload })
}

function isSame(before: KnownDispute, after: KnownDispute): boolean {
  return (['status', 'amount', 'funds', 'reason', 'evidence_due_by'] as const).every((key) => before[key] === after[key])
}
