import { randomBytes } from 'node:crypto'
import { hashToken } from '@quittance/runtime/credential'
import type { SystemSql } from '@quittance/sql/sql-runner'
import { lockAccount } from '../identity/lock-account.ts'

const count = 10
/** Crockford's base 32: characters that look like digits are excluded. 16 of them are 80 bits, so a plain SHA-256 is enough for storage. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
const codeLength = 16

const replace = `
  with gone as (delete from recovery_codes where account_id = :account_id)
  insert into recovery_codes (code_hash, account_id) select unnest(:hashes::text[]), :account_id::uuid`

/**
 * Generates ten new codes, which replace all earlier ones. They are shown once; the hashes are stored. Must run in a transaction: codes that
 * are generated at the same time replace each other too.
 */
export async function generateRecoveryCodes(systemSql: SystemSql, accountId: string): Promise<string[]> {
  await lockAccount(systemSql, accountId)
  const codes = Array.from({ length: count }, generateCode)
  const hashes = codes.map((code) => hashCode(accountId, code.replaceAll('-', '')))
  await systemSql('recovery-codes.replace', replace, { account_id: accountId, hashes })
  return codes
}

const use = `
  update recovery_codes set used_at = now()
  where code_hash = :hash and account_id = :account_id and used_at is null returning 1`

/** Consumes a code; returns false if it is wrong or used. Of two concurrent requests, one succeeds. */
export async function useRecoveryCode(systemSql: SystemSql, { accountId, code }: { accountId: string; code: string }): Promise<boolean> {
  const read = code.toLowerCase().replaceAll('o', '0').replaceAll(/[il]/g, '1')
  const used = await systemSql('recovery-codes.use', use, { hash: hashCode(accountId, read), account_id: accountId })
  return used.length > 0
}

function hashCode(accountId: string, code: string): string {
  return hashToken(`recovery ${accountId} ${code}`)
}

function generateCode(): string {
  const drawn = [...randomBytes(codeLength)].map((byte) => alphabet[byte % alphabet.length]).join('')
  return (drawn.match(/.{4}/g) ?? []).join('-')
}
