import { listMembers as contract } from '@quittance/contracts/accounts'
import { query } from '@quittance/runtime/handler'
import { memberView } from './member-view.ts'
import { demandOwnOrganization } from './own-organization.ts'

export const listMembers = query(contract, ({ id, page, limit }, { caller, read }) => {
  demandOwnOrganization(caller, id)
  return read.page(memberView, {
    where: 'm.organization_id = :id',
    values: { id },
    orderBy: [
      { by: 'm.created_at', descending: false },
      { by: 'm.account_id', descending: false },
    ],
    page,
    limit,
  })
})
