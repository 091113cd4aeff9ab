import { customerSessionEnded, endCustomerSession as contract } from '@quittance/contracts/customer-sessions'
import { command, type Transaction } from '@quittance/runtime/handler'
import { sharedByCheckouts } from '@quittance/sql/sql-runner'

const remove = `
  delete from customer_sessions
  where id = :id and organization_id = any (:scope_organizations) and customer_id = :scope_customer and ${sharedByCheckouts}
  returning id, organization_id, customer_id, token_hash`

/** A session that ended, or covers less than before. */
export interface EndedSession {
  id: string
  organization_id: string
  customer_id: string
  token_hash: string
}

/** Ends the session of the caller's token, and no other one of the customer. A session that has ended already stays ended. */
export const endCustomerSession = command(contract, async (_, { caller, sql, publish }) => {
  if (caller.kind !== 'customer') return null
  publishEnded({ publish }, await sql<EndedSession>('customer-session.end', remove, { id: caller.token_id }))
  return null
})

/** Publishes sessions to the gateways, which otherwise accept them as they were for some seconds. */
export function publishEnded({ publish }: Pick<Transaction, 'publish'>, sessions: readonly EndedSession[]): void {
  for (const { id, organization_id: organizationId, customer_id, token_hash } of sessions)
    publish({ event: customerSessionEnded, aggregateId: id, organizationId, payload: { session_id: id, customer_id, token_hash } })
}

const removeAll = `
  delete from customer_sessions
  where customer_id = :customer_id and organization_id = any (:scope_organizations)
    and (:scope_customer::uuid is null or customer_id = :scope_customer) and ${sharedByCheckouts}
  returning id, organization_id, customer_id, token_hash`

/** Ends all sessions of a customer. */
export async function endCustomerSessions(context: Transaction, { customerId }: { customerId: string }): Promise<void> {
  publishEnded(context, await context.sql<EndedSession>('customer-sessions.end-all', removeAll, { customer_id: customerId }))
}
