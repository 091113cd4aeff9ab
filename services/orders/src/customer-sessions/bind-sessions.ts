import type { Transaction } from '@quittance/runtime/handler'
import { sharedByCheckouts } from '@quittance/sql/sql-runner'
import { publishEnded, type EndedSession } from './end-customer-session.ts'

const bind = `
  with bound as (
    update customer_sessions set checkout_id = made_by_checkout_id, modified_at = now(), version = version + 1
    where customer_id = :customer_id and organization_id = any (:scope_organizations)
      and (:scope_customer::uuid is null or customer_id = :scope_customer) and ${sharedByCheckouts}
      and made_by_checkout_id is not null and checkout_id is null
    returning id, organization_id, customer_id, token_hash, checkout_id),
  unproven as (
    update checkouts set is_customer_proven = false
    where id in (select checkout_id from bound) and organization_id = any (:scope_organizations) and id is distinct from :checkout_id::uuid)
  select id, organization_id, customer_id, token_hash from bound`

/**
 * Binds the first session when another purchase is made as a customer that a checkout created, or when the customer enters a mailed code. The
 * first buyer with the e-mail address got a session for the whole customer, which was only that purchase; from now on the session is bound
 * to that checkout, and gateways verify it again.
 */
export async function bindSessionsToCheckout(
  context: Pick<Transaction, 'sql' | 'publish'>,
  binding: { customerId: string; checkoutId: string | null },
): Promise<void> {
  const bound = await context.sql<EndedSession>('customer-session.bind', bind, {
    customer_id: binding.customerId,
    checkout_id: binding.checkoutId,
  })
  publishEnded(context, bound)
}
