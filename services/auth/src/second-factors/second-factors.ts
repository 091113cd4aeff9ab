import type { SystemSql } from '@quittance/sql/sql-runner'

/** Second factors of an account. */
export interface SecondFactors {
  /** Whether a password alone does not sign in. */
  isOn: boolean
  hasTotp: boolean
  passkeyCount: number
  /** Number of unused recovery codes. */
  recoveryCodeCount: number
}

const find = `
  select exists (select from totp_secrets where account_id = :account_id) as has_totp,
    (select count(*)::int from passkeys where account_id = :account_id) as passkeys,
    (select count(*)::int from recovery_codes where account_id = :account_id and used_at is null) as recovery_codes`

export async function readSecondFactors(systemSql: SystemSql, accountId: string): Promise<SecondFactors> {
  const [found] = await systemSql<{ has_totp: boolean; passkeys: number; recovery_codes: number }>('second-factors.find', find, {
    account_id: accountId,
  })
  const { has_totp: hasTotp = false, passkeys = 0, recovery_codes = 0 } = found ?? {}
  return { isOn: hasTotp || passkeys > 0, hasTotp, passkeyCount: passkeys, recoveryCodeCount: recovery_codes }
}

/** Recovery codes replace other factors; without another factor they have no purpose. */
const deleteCodes = `
  delete from recovery_codes where account_id = :account_id
    and not exists (select from totp_secrets where account_id = :account_id)
    and not exists (select from passkeys where account_id = :account_id)`

/** Called after a factor was removed. */
export async function deleteIdleRecoveryCodes(systemSql: SystemSql, accountId: string): Promise<void> {
  await systemSql('second-factors.delete-codes', deleteCodes, { account_id: accountId })
}

/** Removes all factors of a user who lost them; requested by the operator. */
export async function removeSecondFactors(systemSql: SystemSql, accountId: string): Promise<void> {
  for (const table of ['totp_secrets', 'passkeys', 'recovery_codes']) {
    await systemSql(`second-factors.remove-${table}`, `delete from ${table} where account_id = :account_id`, { account_id: accountId })
  }
}
