import { listOrganizationAccessTokens as contract } from '@quittance/contracts/access-tokens'
import { query } from '@quittance/runtime/handler'
import { asList, nullable, orderBy, whereGiven } from '@quittance/runtime/list'
import { organizationAccessTokenView } from './access-token-view.ts'

const columns = {
  created_at: 't.created_at',
  comment: 't.comment',
  last_used_at: nullable('t.last_used_at'),
  organization_id: 't.organization_id',
}

export const listOrganizationAccessTokens = query(contract, ({ organization_id, sorting, page, limit }, { read }) => {
  const { where, values } = whereGiven({
    organization_id: { sql: 't.organization_id = any(:organization_id)', value: asList(organization_id) },
  })
  return read.page(organizationAccessTokenView, {
    where: `t.revoked_at is null and ${where}`,
    values,
    orderBy: orderBy(columns, { sorting, ties: ['t.created_at', 't.id'] }),
    page,
    limit,
  })
})
