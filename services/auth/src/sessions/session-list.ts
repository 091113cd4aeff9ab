import type { SystemSql } from '@quittance/sql/sql-runner'
import type { SignedInBrowser } from '../pages/account-page.ts'
import { sessionEnd } from '../provider/session-store.ts'

const find = `
  select uid, user_agent, ip, to_json(seen_at)#>>'{}' as seen_at from sessions
  where account_id = :account_id and expires_at > now() order by seen_at desc limit 100`

const end = `update sessions set ${sessionEnd} where account_id = :account_id and (:uid::text is null or uid = :uid)`

export async function readSessions(systemSql: SystemSql, accountId: string): Promise<SignedInBrowser[]> {
  const found = await systemSql<{ uid: string; user_agent: string | null; ip: string | null; seen_at: string }>('sessions.find', find, {
    account_id: accountId,
  })
  return found.map(({ uid, user_agent, ip, seen_at }) => ({ uid, userAgent: user_agent, ip, seenAt: seen_at }))
}

const describe = `update sessions set user_agent = :user_agent, ip = :ip where uid = :uid and expires_at > now()`

/** Records the browser of a session that began on a page of this service. */
export async function recordSessionDevice(systemSql: SystemSql, { uid, userAgent, ip }: Omit<SignedInBrowser, 'seenAt'>): Promise<void> {
  await systemSql('sessions.describe', describe, { uid, user_agent: userAgent, ip })
}

/** A sign-in that was completed before, and whose browser has not continued yet, would otherwise start a session afterwards. */
const forgetSignIns = `
  delete from short_lived_records where model = 'Interaction' and payload #>> '{result,login,accountId}' = :account_id`

const endOthers = `update sessions set ${sessionEnd} where account_id = :account_id and uid <> :uid`

/** Ends every session of the account except the current one. */
export async function endOtherSessions(systemSql: SystemSql, { accountId, uid }: { accountId: string; uid: string }): Promise<void> {
  await systemSql('sessions.end-others', endOthers, { account_id: accountId, uid })
  await systemSql('sessions.forget-sign-ins', forgetSignIns, { account_id: accountId })
}

/** Ends one session, or all of the account. Tokens issued to applications stay valid. */
export async function endSessions(systemSql: SystemSql, { accountId, uid }: { accountId: string; uid: string | null }): Promise<void> {
  await systemSql('sessions.end', end, { account_id: accountId, uid })
  if (uid === null) await systemSql('sessions.forget-sign-ins', forgetSignIns, { account_id: accountId })
}
