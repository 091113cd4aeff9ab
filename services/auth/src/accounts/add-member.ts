import { addMember as contract } from '@quittance/contracts/accounts'
import { ResourceNotFound } from '@quittance/contracts/errors'
import { command } from '@quittance/runtime/handler'
import { forget } from '../access-tokens/forget-token.ts'

export const addMember = command(contract, async ({ organization_id, user_id }, { publish, rows }) => {
  const found = await rows(
    'member.both-exist',
    `select 1 from organizations o, accounts a where o.id = :organization_id and a.id = :user_id`,
    { organization_id, user_id },
  )
  if (found.length === 0) throw new ResourceNotFound()
  await rows('member.add', `insert into members (organization_id, account_id) values (:organization_id, :user_id) on conflict do nothing`, {
    organization_id,
    user_id,
  })
  publish(forget({ aggregateId: user_id, organizationId: organization_id, user_id }))
  return {}
})
