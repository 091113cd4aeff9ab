import type { Transaction } from '@quittance/runtime/handler'
import type { ProviderAccount } from '../providers/provider-of.ts'
import type { SeenDispute } from '../providers/provider.ts'

/** `later`: it cannot be recorded now; nothing was written. */
export type RecordedDispute = 'recorded' | 'not_ours' | 'later'

const findPayment = `
  select id, currency, payment_method_id from payments
  where payment_account_id = :account and provider_payment = :payment and organization_id = any (:scope_organizations)`

/** A read that began earlier changes nothing. Reinstated funds stay so: the ledger books each direction once. */
const upsert = `
  insert into disputes as d (id, created_at, organization_id, payment_id, payment_account_id, provider_dispute, status, amount, currency, reason,
    evidence_due_by, funds, next_check_at, observed_at)
  select gen_random_uuid(), now(), p.organization_id, p.id, p.payment_account_id, :theirs, :status::text, :amount::bigint, p.currency, :reason::text,
    :evidence_due_by::timestamptz, :funds::text, :next_check_at::timestamptz, :observed_at::timestamptz
  from payments p where p.id = :payment_id and p.organization_id = any (:scope_organizations)
  on conflict on constraint disputes_unique_at_provider do update set status = excluded.status, reason = excluded.reason,
    evidence_due_by = excluded.evidence_due_by, funds = case when d.funds = 'reinstated' then d.funds else excluded.funds end,
    next_check_at = excluded.next_check_at, observed_at = excluded.observed_at, leased_until = null, modified_at = now(), version = d.version + 1
  where d.observed_at <= excluded.observed_at
  returning d.id`

/** A disputed method is not charged again by itself. Another one can then be the default. */
const blockMethod = `
  update payment_methods set status = 'blocked', is_default = false, modified_at = now(), version = version + 1
  where id = :id and status = 'active' and organization_id = any (:scope_organizations)`

const final = new Set(['won', 'lost', 'prevented', 'closed'])
const blocking = new Set(['needs_response', 'under_review', 'lost'])
const dayMs = 86_400_000

/** Records what the provider reports about a dispute. The database books its funds. */
export async function recordDispute(
  { sql, log, now }: Transaction,
  { account, seen, readAt }: { account: ProviderAccount; seen: SeenDispute; readAt: Date },
): Promise<RecordedDispute> {
  const [payment] = await sql<{ id: string; currency: string; payment_method_id: string | null }>('dispute.find-payment', findPayment, {
    ...{ account: account.id, payment: seen.payment },
  })
  if (!payment) return 'not_ours'
  const { money, status } = seen
  if (!money || money.currency !== payment.currency || seen.account !== account.providerAccount || seen.mode !== account.mode) {
    log.error({ payment_id: payment.id, provider_dispute: seen.theirs }, 'dispute.not-recorded')
    return 'later'
  }
  await sql('dispute.upsert', upsert, {
    ...{ payment_id: payment.id, theirs: seen.theirs, status, amount: String(money.amount), reason: seen.reason, funds: seen.funds },
    ...{ evidence_due_by: seen.evidenceDueBy, observed_at: readAt },
    next_check_at: final.has(status) ? null : new Date(now.getTime() + dayMs),
  })
  if (blocking.has(status) && payment.payment_method_id) await sql('dispute.block-method', blockMethod, { id: payment.payment_method_id })
  return 'recorded'
}
