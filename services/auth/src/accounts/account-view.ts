import type { Account } from '@quittance/contracts/accounts'
import type { View } from '@quittance/runtime/view'

export const accountView: View<Account> = {
  name: 'account',
  organization: null,
  because: 'a person belongs to no organization; handlers ask for one id',
  from: `accounts a`,
  columns: `a.id, a.created_at, a.modified_at, a.email, a.email_verified_at is not null as email_verified`,
}
