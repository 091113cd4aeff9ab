import type { Organization } from '@quittance/contracts/organizations'
import type { View } from '@quittance/runtime/view'

export const organizationView: View<Organization> = {
  name: 'organization',
  organization: 'o.id',
  from: 'organizations o',
  key: 'o.id',
  columns: `o.id, o.created_at, o.modified_at, o.name, o.slug, o.avatar_url, o.email, o.website, o.socials,
    null as details_submitted_at, null as feature_settings, o.subscription_settings`,
}
