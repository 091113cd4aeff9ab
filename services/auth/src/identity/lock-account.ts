import type { SystemSql } from '@quittance/sql/sql-runner'

const lock = `select 1 from accounts where id = :account_id for no key update`

/** Locks an account until the transaction ends: requests that would each find nothing done yet wait for each other. */
export async function lockAccount(systemSql: SystemSql, accountId: string): Promise<void> {
  await systemSql('account.lock', lock, { account_id: accountId })
}
