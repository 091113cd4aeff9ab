import type { OrganizationAccessToken } from '@quittance/contracts/auth'
import type { View } from '@quittance/runtime/view'

export const organizationAccessTokenView: View<OrganizationAccessToken> = {
  name: 'organization-access-token',
  organization: 't.organization_id',
  from: `access_tokens t`,
  columns: `t.id, t.created_at, t.modified_at, t.organization_id, t.comment, t.scopes, t.expires_at, t.last_used_at`,
}
