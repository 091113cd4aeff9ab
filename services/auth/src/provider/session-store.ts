import type { SystemSql } from '@quittance/sql/sql-runner'
import { hashToken } from '@quittance/runtime/credential'
import { Provider, type Adapter, type AdapterPayload } from 'oidc-provider'

const upsert = `
  insert into sessions (id_hash, uid, account_id, payload, user_agent, ip, expires_at)
  values (:hash, :uid, :account_id, :payload::jsonb, :user_agent, :ip, to_timestamp(:expires_at))
  on conflict (uid) do update set id_hash = excluded.id_hash, account_id = excluded.account_id, payload = excluded.payload,
    user_agent = excluded.user_agent, ip = excluded.ip, seen_at = now(), expires_at = excluded.expires_at
  where sessions.expires_at > '-infinity'`

const find = `select payload from sessions where id_hash = :hash and expires_at > now()`
const findByUid = `select payload from sessions where uid = :uid and expires_at > now()`

/**
 * Assignments that end a session. The row stays as a mark until the sweep: a request that loaded the session before stores it when it
 * completes, and without the row that would insert it again. `-infinity` is earlier than the start of every transaction, so the mark does
 * not depend on which of two concurrent transactions began first. `seen_at` is the time of the end.
 */
export const sessionEnd = `account_id = null, payload = '{}', user_agent = null, ip = null, seen_at = now(), expires_at = '-infinity'`

const destroy = `update sessions set ${sessionEnd} where id_hash = :hash and expires_at > '-infinity'`

/** Stores the sessions of browsers. A sign-in changes the session id; the row is found by its `uid`, which does not change. */
export function sessionStore(systemSql: SystemSql): Partial<Adapter> {
  return {
    async upsert(id, { jti: _, ...payload }) {
      const context = Provider.ctx
      await systemSql('session.upsert', upsert, {
        hash: hashToken(id),
        uid: payload.uid,
        account_id: payload.accountId ?? null,
        payload: JSON.stringify(payload),
        user_agent: context?.get('user-agent').slice(0, 500) || null,
        ip: context?.ip ?? null,
        expires_at: payload.exp,
      })
    },
    async find(id) {
      const [found] = await systemSql<{ payload: AdapterPayload }>('session.find', find, { hash: hashToken(id) })
      return found && { ...found.payload, jti: id }
    },
    async findByUid(uid) {
      const [found] = await systemSql<{ payload: AdapterPayload }>('session.find-by-uid', findByUid, { uid })
      return found?.payload
    },
    async destroy(id) {
      await systemSql('session.destroy', destroy, { hash: hashToken(id) })
    },
  }
}
