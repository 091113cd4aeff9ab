import type { Invitation, OwnInvitation } from '@quittance/contracts/invitations'
import type { View } from '@quittance/sql/view'

/** Condition of open invitations `i`, which can be accepted or declined now. */
export const isOpen = `i.closed_at is null and i.expires_at > now()`

/** Condition of invitations `i` to the verified e-mail address of account `:account_id`. */
export const isAddressedToAccount = `lower(i.email) =
  (select lower(a.email) from accounts a where a.id = :account_id and a.email_verified_at is not null)`

export const invitationView: View<Invitation> = {
  name: 'invitation',
  organization: 'i.organization_id',
  from: `invitations i`,
  key: 'i.id',
  columns: `i.id, i.organization_id, i.email, i.invited_by, i.created_at, i.expires_at`,
}

export const ownInvitationView: View<OwnInvitation> = {
  name: 'own-invitation',
  organization: null,
  unscopedReason: 'the invited user is not a member; handlers read those addressed to one account',
  from: `invitations i`,
  lookupJoins: `join organizations o on o.id = i.organization_id`,
  key: 'i.id',
  columns: `i.id, o.name as organization_name, i.email, i.created_at, i.expires_at`,
}
