import { callerCustomerId } from '@quittance/contracts/caller'
import { customerSessionEnded, endCustomerSession as contract } from '@quittance/contracts/customer-sessions'
import { command } from '@quittance/runtime/handler'
import { sharedByCheckouts } from '@quittance/sql/sql-runner'

const remove = `
  delete from customer_sessions
  where id = :id and organization_id = any (:scope_organizations) and customer_id = :scope_customer and ${sharedByCheckouts}
  returning organization_id, token_hash`

interface RemovedSession {
  organization_id: string
  token_hash: string
}

/** Ends the session of the caller's token, and no other one of the customer. A session that has ended already stays ended. */
export const endCustomerSession = command(contract, async (_, { caller, sql, publish }) => {
  const customerId = callerCustomerId(caller)
  if (caller.kind !== 'customer' || !customerId) return null
  const [removed] = await sql<RemovedSession>('customer-session.end', remove, { id: caller.token_id })
  if (!removed) return null
  publish({
    event: customerSessionEnded,
    aggregateId: caller.token_id,
    organizationId: removed.organization_id,
    payload: { session_id: caller.token_id, customer_id: customerId, token_hash: removed.token_hash },
  })
  return null
})
