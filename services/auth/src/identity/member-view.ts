import type { Member } from '@quittance/contracts/accounts'
import type { View } from '@quittance/sql/view'

/** A member as the API returns it. */
export const memberView: View<Member> = {
  name: 'member',
  organization: 'm.organization_id',
  from: `members m join accounts a on a.id = m.account_id`,
  columns: `m.organization_id, m.account_id as user_id, a.email, m.created_at`,
}
