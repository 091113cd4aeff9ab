import { removeMember as contract } from '@quittance/contracts/accounts'
import { NotPermitted, ResourceNotFound } from '@quittance/contracts/errors'
import { command } from '@quittance/runtime/handler'
import { forget } from '../access-tokens/forget-token.ts'
import { demandOwnOrganization } from './own-organization.ts'
import { ownPerson } from './own-person.ts'

const others = `select account_id from members where organization_id = :id and account_id <> :user_id limit 1`

export const removeMember = command(contract, async ({ id, user_id }, { caller, publish, rows }) => {
  ownPerson(caller)
  demandOwnOrganization(caller, id)
  // One removal at a time: two members who remove each other at once would leave an organization to nobody.
  await rows('organization.lock', `select 1 from organizations where id = :id for no key update`, { id })
  const removed = await rows('member.remove', `delete from members where organization_id = :id and account_id = :user_id returning 1`, {
    id,
    user_id,
  })
  if (removed.length === 0) throw new ResourceNotFound()
  if ((await rows('member.others', others, { id, user_id })).length === 0) {
    throw new NotPermitted('The last member of an organization cannot be removed.')
  }
  await rows('grant.delete-of-member', `delete from grants where organization_id = :id and account_id = :user_id`, { id, user_id })
  await rows('consent.delete-of-member', `delete from consents where organization_id = :id and account_id = :user_id`, { id, user_id })
  publish(forget({ aggregateId: user_id, organizationId: id, user_id }))
  return null
})
