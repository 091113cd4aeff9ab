import type { SystemSql } from '@quittance/sql/sql-runner'

/** An account as its own pages show it. */
export interface AccountDetails {
  id: string
  email: string
  createdAt: string
  /** Null: the password has not changed since the account was created. */
  passwordChangedAt: string | null
}

interface AccountDetailsRow {
  id: string
  email: string
  created_at: string
  password_changed_at: string | null
}

const find = `
  select id, email, to_json(created_at)#>>'{}' as created_at, to_json(password_changed_at)#>>'{}' as password_changed_at
  from accounts where id = :id`

export async function findAccountDetails(systemSql: SystemSql, id: string): Promise<AccountDetails | null> {
  const [found] = await systemSql<AccountDetailsRow>('account.find-profile', find, { id })
  if (!found) return null
  return { id: found.id, email: found.email, createdAt: found.created_at, passwordChangedAt: found.password_changed_at }
}
