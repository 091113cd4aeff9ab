import { verifyGrant as contract } from '@quittance/contracts/auth'
import { query } from '@quittance/runtime/handler'
import { callerOf, invalidToken, membershipsOf, standingGrants, type Standing } from './standing-grant.ts'

const find = `
  select g.sub_type, g.organization_id, g.account_id, g.client_id, ${membershipsOf('g.account_id')} as organization_ids
  from ${standingGrants} where g.id = :grant_id`

export const verifyGrant = query(contract, async ({ grant_id, token_id }, { rows }) => {
  const [grant] = await rows<Standing>('grant.verify', find, { grant_id })
  if (!grant) throw invalidToken()
  return { caller: callerOf(grant, token_id) }
})
