import { inviteMember as contract } from '@quittance/contracts/accounts'
import { RequestValidationError } from '@quittance/contracts/errors'
import { command } from '@quittance/runtime/handler'
import { forget } from '../access-tokens/forget-token.ts'
import { memberView } from './member-view.ts'
import { demandOwnOrganization } from './own-organization.ts'
import { ownPerson } from './own-person.ts'

export const inviteMember = command(contract, async ({ id, email }, { caller, publish, read, rows }) => {
  ownPerson(caller)
  demandOwnOrganization(caller, id)
  const [account] = await rows<{ id: string }>('account.by-email', `select id from accounts where lower(email) = lower(:email)`, { email })
  if (!account) throw RequestValidationError.field(['email'], 'Nobody has an account with this e-mail address.')
  await rows('member.invite', `insert into members (organization_id, account_id) values (:id, :account_id) on conflict do nothing`, {
    id,
    account_id: account.id,
  })
  publish(forget({ aggregateId: account.id, organizationId: id, user_id: account.id }))
  return read.one(memberView, {
    where: 'm.organization_id = :id and m.account_id = :account_id',
    values: { id, account_id: account.id },
  })
})
