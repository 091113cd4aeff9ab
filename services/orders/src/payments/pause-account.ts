import type { ScopedSql } from '@quittance/sql/sql-runner'
import type { Answer } from '../providers/provider.ts'
import type { ProviderAccount } from '../providers/provider-of.ts'

/** Each pause that follows the one before within a minute is twice as long, up to 30 seconds. Answers during a pause do not extend it. */
const pause = `
  update payment_accounts a set settings = settings || jsonb_build_object('pause_ms', next.ms),
    paused_until = now() + next.ms * interval '1 millisecond'
  from (
    select greatest(:ms::integer, least(30000,
      case when paused_until > now() - interval '1 minute' then 2 * coalesce((settings->>'pause_ms')::integer, 0) else 0 end)) as ms
    from payment_accounts where id = :id and organization_id = any (:scope_organizations)) next
  where a.id = :id and a.organization_id = any (:scope_organizations) and (paused_until is null or paused_until <= now())`

/** Pauses an account at all replicas if an answer reports that its calls are limited. */
export async function pauseIfLimited(
  sql: ScopedSql,
  { account, answer }: { account: Pick<ProviderAccount, 'id'>; answer: Answer<unknown> },
): Promise<void> {
  if (!('unknown' in answer) || answer.unknown !== 'busy' || answer.retryAfterMs === null || account.id === null) return
  await sql('payment-account.pause', pause, { id: account.id, ms: answer.retryAfterMs })
}

/** Returns when to continue with a paused account; null if it is not paused. The calls of all rows do not begin together. */
export function findEndOfPause({ pausedUntil }: ProviderAccount, { now, random }: { now: Date; random: number }): Date | null {
  if (!pausedUntil || pausedUntil <= now) return null
  return new Date(pausedUntil.getTime() + Math.round(1_000 * random))
}
