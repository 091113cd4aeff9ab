import { paymentAccountUnhealthy } from '@quittance/contracts/payment-accounts'
import type { Transaction } from '@quittance/runtime/handler'
import type { RejectedAccount } from '../payments/account-rejected.ts'
import { paymentAccountView } from './payment-account.ts'

const markUnhealthy = `
  update payment_accounts set checked_at = now(), modified_at = now(), version = version + 1,
    health = jsonb_build_object('is_healthy', false, 'lacking', '[]'::jsonb, 'detail', :detail::text)
  where id = :id and organization_id = any (:scope_organizations) and coalesce((health->>'is_healthy')::boolean, true)
  returning id`

/** Marks an account as rejected by its provider, and publishes that once. A check, or another key, ends it. */
export async function recordRejection(context: Transaction, { paymentAccountId: id, detail }: RejectedAccount): Promise<void> {
  const [changed] = await context.sql<{ id: string }>('payment-account.mark-unhealthy', markUnhealthy, { id, detail })
  if (changed) await publishUnhealthy(context, id)
}

/** Publishes that an account is not healthy any more. */
export async function publishUnhealthy({ read, publish }: Pick<Transaction, 'read' | 'publish'>, id: string): Promise<void> {
  const payload = await read.one(paymentAccountView, { where: 'a.id = :id', values: { id } })
  const { organization_id: organizationId } = JSON.parse(payload) as { organization_id: string }
  publish({ event: paymentAccountUnhealthy, aggregateId: id, organizationId, payload })
}
