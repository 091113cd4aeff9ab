import type { OrganizationAccessToken, PersonalAccessToken } from '@quittance/contracts/access-tokens'
import type { View } from '@quittance/sql/view'

const shared = `t.id, t.created_at, t.modified_at, t.comment, t.scopes, t.expires_at, t.last_used_at`

export const organizationAccessTokenView: View<OrganizationAccessToken> = {
  name: 'organization-access-token',
  organization: 't.organization_id',
  from: `access_tokens t`,
  key: 't.id',
  columns: `${shared}, t.organization_id`,
}

export const personalAccessTokenView: View<PersonalAccessToken> = {
  name: 'personal-access-token',
  organization: null,
  unscopedReason: 'an access token belongs to a user; handlers read the tokens of one account',
  from: `access_tokens t`,
  key: 't.id',
  columns: `${shared}, t.organization_ids`,
}
