import { randomUUID } from 'node:crypto'
import type { JobContext } from '@quittance/runtime/handler'
import { createHeldCounts } from '@quittance/runtime/held-counts'
import type { DocumentKind } from '../series/number-format.ts'

/** A document that this process renders until its lease ends. */
export interface ClaimedInvoice {
  id: string
  kind: DocumentKind
  printed: string | null
  organization_id: string
  number: string
  reverses_id: string | null
  attempts: number
  /** Another document was due and had no lease. */
  has_more: boolean
}

/** Maximum number of documents of one organization in progress in this process; the other runs are for other organizations. */
const maxPerOrganization = 4

const inProgress = createHeldCounts()

/** The organization served last. Replicas start at different places. */
let lastServed: string = randomUUID()

// Walks the organizations with requested documents in the order of their ids, after the one served last and then from the start. The first
// with a due document ends the walk. Each step reads one entry of the index `invoices_due_by_organization`, however many documents wait:
// with `=` instead of `between` the order would be that of `invoices_due`, which would read the documents of all organizations. `between` lets
// the planner expect a two-hundredth of the documents; of the comparison of both columns alone it expects a ninth, and could take another index.
const selectDue = (passedOver: ':busy' | ':full') => `
  with recursive turns (organization_id, is_second_round) as (
    select :last_served::uuid, false
    where (select i.next_attempt_at from invoices i where i.status = 'requested' order by i.next_attempt_at limit 1) <= now()
    union all
    select coalesce(n.organization_id, '00000000-0000-0000-0000-000000000000'), t.is_second_round or n.organization_id is null
    from turns t left join lateral (
      select i.organization_id from invoices i where i.status = 'requested' and i.organization_id > t.organization_id
      order by i.organization_id limit 1) n on true
    where not t.is_second_round or n.organization_id <= :last_served::uuid)
  select due.id from turns t cross join lateral (
    select i.id from invoices i
    where i.status = 'requested' and (i.leased_until is null or i.leased_until < now())
      and i.organization_id between t.organization_id and t.organization_id
      and (i.organization_id, i.next_attempt_at) <= (t.organization_id, now())
    order by i.organization_id, i.next_attempt_at limit 1 for update skip locked) due
  where (t.is_second_round or t.organization_id <> :last_served::uuid) and t.organization_id <> all(${passedOver}::uuid[])
  limit 1`

// The second walk begins only if the first one found nothing and it passes over fewer organizations. The comparison is a subquery because
// the planner would compute it otherwise, find some claims cheap, and plan every claim again: four times the cost of its execution.
export const claimStatement = `
  update invoices set leased_until = now() + :lease * interval '1 millisecond', attempts = attempts + 1, version = version + 1
  where id = coalesce((${selectDue(':busy')}), case when (select :busy::uuid[] <> :full::uuid[]) then (${selectDue(':full')}) end)
  returning id, organization_id, kind, number, reverses_id, printed::text as printed, attempts, exists (
    select from invoices other where other.status = 'requested' and other.next_attempt_at <= now() and other.id <> invoices.id
      and (other.leased_until is null or other.leased_until < now())) as has_more`

let claiming: Promise<unknown> = Promise.resolve()

/**
 * Claims the next due document, or returns null. Organizations have turns, those without a document in progress first, and none has more
 * than its share of the runs. Claims of this process wait for each other, so that each one knows the documents in progress. Call
 * `releaseRun` afterwards.
 */
export function claimInvoice(context: JobContext): Promise<ClaimedInvoice | null> {
  const claimed = claiming.then(() => claimInTurn(context))
  claiming = claimed.catch(() => {})
  return claimed
}

async function claimInTurn({ systemSql, leaseMs }: JobContext): Promise<ClaimedInvoice | null> {
  const values = { lease: leaseMs, last_served: lastServed, busy: inProgress.keys(1), full: inProgress.keys(maxPerOrganization) }
  const [claimed] = await systemSql<ClaimedInvoice>('invoice.claim-in-turn', claimStatement, values)
  if (!claimed) return null
  lastServed = claimed.organization_id
  inProgress.add(claimed.organization_id, 1)
  return claimed
}

/**
 * Whether another run could claim a document beside this one. Not if the only organization with documents in progress has its share: a
 * document of another organization wakes the job itself.
 */
export function canClaimMore({ organization_id, has_more }: ClaimedInvoice): boolean {
  return has_more && (inProgress.count(organization_id) < maxPerOrganization || inProgress.keys(1).length > 1)
}

/** Ends the run of a document, whether or not it was rendered. Returns whether its organization had its share. */
export function releaseRun({ organization_id }: ClaimedInvoice): boolean {
  const wasShareUsed = inProgress.count(organization_id) >= maxPerOrganization
  inProgress.add(organization_id, -1)
  return wasShareUsed
}
