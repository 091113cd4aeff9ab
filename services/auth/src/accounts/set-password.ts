import type { SystemSql } from '@quittance/sql/sql-runner'

/** Length limits of the contract for new accounts. */
const minPasswordLength = 8
const maxPasswordLength = 200

/** Returns why a password cannot be used, as a sentence for the user; null if it can. */
export function findPasswordProblem(password: unknown, { email, repeated }: { email: string; repeated: unknown }): string | null {
  if (typeof password !== 'string' || password.length < minPasswordLength)
    return `The new password must have at least ${minPasswordLength} characters.`
  if (password.length > maxPasswordLength) return `The new password must have at most ${maxPasswordLength} characters.`
  if (password.includes('\0')) return 'The new password has a character that cannot be used.'
  if (password.toLowerCase() === email.toLowerCase()) return 'The new password must not be your e-mail address.'
  if (password !== repeated) return 'The two new passwords are not the same.'
  return null
}

const set = `
  update accounts set password_hash = :password_hash, password_changed_at = now(), modified_at = now(), version = version + 1
  where id = :id`

const deleteLinks = `delete from password_resets where account_id = :id`

/** Stores a password; must run in a transaction. Deletes an unused reset link, which could otherwise replace the new password. */
export async function setPassword(systemSql: SystemSql, { accountId, hash }: { accountId: string; hash: string }): Promise<void> {
  await systemSql('password.set', set, { id: accountId, password_hash: hash })
  await systemSql('password.delete-links', deleteLinks, { id: accountId })
}
