import type { Rows } from '@quittance/runtime/handler'

/** A browser that is signed in. */
export interface SignedInBrowser {
  uid: string
  userAgent: string | null
  ip: string | null
  seenAt: string
}

const find = `
  select uid, user_agent, ip, to_json(seen_at)#>>'{}' as seen_at from sessions
  where account_id = :account_id and expires_at > now() order by seen_at desc limit 100`

const end = `delete from sessions where account_id = :account_id and (:uid::text is null or uid = :uid)`

export async function readSessions(rows: Rows, accountId: string): Promise<SignedInBrowser[]> {
  const found = await rows<{ uid: string; user_agent: string | null; ip: string | null; seen_at: string }>('sessions.find', find, {
    account_id: accountId,
  })
  return found.map(({ uid, user_agent, ip, seen_at }) => ({ uid, userAgent: user_agent, ip, seenAt: seen_at }))
}

const describe = `update sessions set user_agent = :user_agent, ip = :ip where uid = :uid`

/** Notes what signed in, for a session that was begun on a page of ours. */
export async function describeSession(rows: Rows, { uid, userAgent, ip }: Omit<SignedInBrowser, 'seenAt'>): Promise<void> {
  await rows('sessions.describe', describe, { uid, user_agent: userAgent, ip })
}

/** Signs one browser out, or all of them. What was issued to applications lives on. */
export async function endSessions(rows: Rows, { accountId, uid }: { accountId: string; uid: string | null }): Promise<void> {
  await rows('sessions.end', end, { account_id: accountId, uid })
}
