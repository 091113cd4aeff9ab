import { verifyCustomerSession as contract } from '@quittance/contracts/customer-sessions'
import { InvalidToken } from '@quittance/contracts/errors'
import { query } from '@quittance/runtime/handler'

interface SessionRow {
  token_id: string
  organization_id: string
  customer_id: string
  expires_at: string
}

const find = `
  select s.id as token_id, s.organization_id, s.customer_id, to_json(s.expires_at)#>>'{}' as expires_at
  from customer_sessions s join customers c on c.id = s.customer_id and c.deleted_at is null
  where s.token_hash = :hash and s.expires_at > now()`

export const verifyCustomerSession = query(contract, async ({ hash }, { rows }) => {
  const [session] = await rows<SessionRow>('customer-session.verify', find, { hash })
  if (!session) throw new InvalidToken('The access token provided is expired, revoked, malformed, or invalid for other reasons.')
  const { expires_at, ...who } = session
  return { caller: { kind: 'customer' as const, ...who }, expires_at }
})
