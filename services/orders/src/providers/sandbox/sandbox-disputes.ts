import type { Transaction } from '@quittance/runtime/handler'
import { config } from '../../config.ts'
import type { Answer, DisputeFunds, DisputeStatus, SeenDispute } from '../provider.ts'
import { lockObject, saveObject, type SandboxObject, type SandboxStatus } from './sandbox-objects.ts'
import { toFacts, type SandboxStore } from './sandbox-store.ts'

const wonToken = 'ctoken_dispute_won'
const disputedTokens = new Set(['ctoken_disputed', wonToken])
const evidenceMs = 7 * 86_400_000

const insert = `
  insert into sandbox_objects (id, kind, organization_id, ours, payment, amount, currency, token, status, made_by, submitted_at, event_due_at)
  select 'sandbox_dispute_' || gen_random_uuid(), 'dispute', organization_id, ours, id, amount, currency, token, 'processing', 'dispute:' || id,
    now(), now()
  from sandbox_objects where id = :id and organization_id = any (:scope_organizations)
  on conflict (made_by) do nothing`

/** Opens the dispute of a payment that succeeded with one of the tokens for it. */
export async function openDispute(sql: Transaction['sql'], { id, kind, token, status }: SandboxObject): Promise<void> {
  if (kind === 'charge' && status === 'succeeded' && disputedTokens.has(token)) await sql('sandbox.open-dispute', insert, { id })
}

/** A dispute is won after some seconds, or lost when the time for evidence is over. */
export async function readSandboxDispute(store: SandboxStore, theirs: string): Promise<Answer<SeenDispute>> {
  return store.transaction(async (sql) => {
    const object = await lockObject(sql, theirs)
    if (object?.kind !== 'dispute') return { absent: true }
    if (object.status === 'processing' && Date.now() >= findEnd(object)) {
      object.status = object.token === wonToken ? 'succeeded' : 'failed'
      await saveObject(sql, object)
    }
    return { got: toSeenDispute(object) }
  })
}

/** Returns when a dispute is decided. */
function findEnd({ token, submitted_at }: SandboxObject): number {
  return Date.parse(submitted_at ?? '') + (token === wonToken ? config().SANDBOX_SLOW_PAYMENT_MS : evidenceMs)
}

const outcomes: Partial<Record<SandboxStatus, { status: DisputeStatus; funds: DisputeFunds }>> = {
  succeeded: { status: 'won', funds: 'reinstated' },
  failed: { status: 'lost', funds: 'withdrawn' },
}

function toSeenDispute(object: SandboxObject): SeenDispute {
  const outcome = outcomes[object.status] ?? { status: 'needs_response', funds: 'withdrawn' }
  const evidenceDueBy = new Date(Date.parse(object.submitted_at ?? '') + evidenceMs)
  return { ...toFacts(object, { isPaid: false }), payment: object.payment, reason: 'fraudulent', evidenceDueBy, ...outcome }
}
