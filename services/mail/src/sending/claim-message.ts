import { randomUUID } from 'node:crypto'
import type { JobContext } from '@quittance/runtime/handler'
import { isVerified } from '../senders/sender-view.ts'

/** A mail that this process sends until its lease ends, with what is known of its seller and customer. */
export interface ClaimedMessage {
  id: string
  created_at: string
  organization_id: string | null
  turn_id: string
  kind: string
  source_id: string
  recipient: string | null
  locale: string | null
  content: object | null
  sealed_secret: string | null
  is_urgent: boolean
  /** The mail is not sent later; null for most. */
  expires_at: string | null
  attempts: number
  failures: number
  traceparent: string | null
  seller_name: string | null
  seller_slug: string | null
  seller_email: string | null
  email_settings: Record<string, boolean> | null
  /** The customer does not want optional mails of this kind. */
  is_opted_out: boolean
  customer_id: string | null
  /** The mail server of the address rejected mails on two days. */
  is_undeliverable: boolean
  /** Null unless the domain of the seller is verified. */
  sender_id: string | null
  sender_address: string | null
  sender_selector: string | null
  sender_key: string | null
  /** Another mail was due and had no lease. */
  has_more: boolean
}

/** The organization served last. Replicas start at different places. */
let lastServed: string = randomUUID()

/** When the database last failed here; at first the start of the process, which does not know what was before. */
let databaseFailedAt = performance.now()

/** The last claim that did not fail. */
let claimedAt = performance.now()

/** Milliseconds between two claims of a process that has nothing to send. */
export const pollMs = 1_000

/**
 * Takes no mail over from another attempt for the time of a lease: while the database is unavailable, the leases of attempts in progress end
 * because they cannot be renewed, and they are renewed once it is back.
 */
export function delayTakeovers(): void {
  databaseFailedAt = performance.now()
}

const isFree = (mail: string) => `
  ${mail}.status = 'waiting' and (${mail}.leased_until is null or (:takes_over::boolean and ${mail}.leased_until < now()))
  and (${mail}.expires_at is null or ${mail}.expires_at > now())`

// Walks the organizations with mails that wait in the order of their ids, after the one served last and then from the start. The first with
// a due mail ends the walk. Each step reads one entry of the index `messages_due`, however many mails wait: with `=` instead of
// `between` the order would be that of `messages_by_due_time`. `between` lets the planner expect a two-hundredth of the mails; of the comparison
// of both columns alone it expects a ninth, and could take another index.
const selectDue = (isUrgent: boolean) => `
  with recursive turns (turn_id, is_second_round) as (
    select :last_served::uuid, false
    where (select m.next_attempt_at from messages m where m.status = 'waiting' and m.is_urgent = ${isUrgent}
      order by m.next_attempt_at limit 1) <= now()
    union all
    select coalesce(n.turn_id, '00000000-0000-0000-0000-000000000000'), t.is_second_round or n.turn_id is null
    from turns t left join lateral (
      select m.turn_id from messages m where m.status = 'waiting' and m.is_urgent = ${isUrgent} and m.turn_id > t.turn_id
      order by m.turn_id limit 1) n on true
    where not t.is_second_round or n.turn_id <= :last_served::uuid)
  select due.id from turns t cross join lateral (
    select m.id from messages m
    where ${isFree('m')} and m.is_urgent = ${isUrgent} and m.turn_id between t.turn_id and t.turn_id
      and (m.turn_id, m.next_attempt_at) <= (t.turn_id, now())
    order by m.turn_id, m.next_attempt_at limit 1 for update skip locked) due
  where t.is_second_round or t.turn_id <> :last_served::uuid
  limit 1`

// The second walk begins only if the first one found nothing.
const claim = `
  with claimed as (
    update messages set leased_until = now() + :lease * interval '1 millisecond', attempts = attempts + 1
    where id = coalesce((${selectDue(true)}), (${selectDue(false)}))
    returning *)
  select m.id, m.created_at, m.organization_id, m.turn_id, m.kind, m.source_id, m.customer_id,
    case when m.kind in ('declaration_notice', 'endpoint_disabled', 'payment_account_unhealthy') then o.email else coalesce(m.recipient, c.email) end as recipient, coalesce(m.locale, c.locale) as locale,
    m.content, m.sealed_secret, m.is_urgent, m.expires_at, m.attempts, m.failures, m.traceparent,
    o.name as seller_name, o.slug as seller_slug, o.email as seller_email, o.customer_email_settings as email_settings,
    exists (select from opt_outs x where x.customer_id = m.customer_id and x.kind = m.kind) as is_opted_out,
    coalesce(c.undeliverable_since is not null and coalesce(m.recipient, c.email) = c.email, false) as is_undeliverable,
    exists (select from messages other
      where other.id <> m.id and other.is_urgent in (true, false) and other.next_attempt_at <= now() and ${isFree('other')}) as has_more,
    s.id as sender_id, s.address as sender_address, s.selector as sender_selector, s.sealed_private_key as sender_key
  from claimed m left join organizations o on o.id = m.organization_id
    left join customers c on c.id = m.customer_id and c.organization_id = m.organization_id
    left join senders s on s.organization_id = m.organization_id and ${isVerified}`

/** Claims the next due mail, or returns null: codes first, organizations in turn. Another replica never claims the same one. */
export async function claimMessage({ systemSql, leaseMs }: JobContext): Promise<ClaimedMessage | null> {
  // Without an SMTP server nothing is claimed for up to half a minute: the database may have failed and returned unnoticed.
  if (performance.now() - claimedAt > Math.max(leaseMs / 3, 2 * pollMs)) delayTakeovers()
  const values = { lease: leaseMs, last_served: lastServed, takes_over: performance.now() - databaseFailedAt > leaseMs }
  try {
    const [claimed] = await systemSql<ClaimedMessage>('message.claim-in-turn', claim, values)
    claimedAt = performance.now()
    if (claimed) lastServed = claimed.turn_id
    return claimed ?? null
  } catch (error) {
    delayTakeovers()
    throw error
  }
}
