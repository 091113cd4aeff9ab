import type { SystemSql } from '@quittance/sql/sql-runner'
import { hashToken } from '@quittance/runtime/credential'
import { errors, type Adapter, type AdapterPayload } from 'oidc-provider'

const upsert = `
  insert into short_lived_records (model, id_hash, payload, expires_at)
  values (:model, :hash, :payload::jsonb, to_timestamp(:expires_at))
  on conflict (model, id_hash) do update set payload = excluded.payload, expires_at = excluded.expires_at`

/** Never overwrites an entry that has not expired. */
const insertOnce = `
  insert into short_lived_records (model, id_hash, payload, expires_at)
  values (:model, :hash, :payload::jsonb, to_timestamp(:expires_at))
  on conflict (model, id_hash) do update set payload = excluded.payload, expires_at = excluded.expires_at
    where short_lived_records.expires_at < now()
  returning 1`

const find = `
  select payload, consumed_at is not null as consumed from short_lived_records
  where model = :model and id_hash = :hash and expires_at > now()`

const consume = `
  update short_lived_records set consumed_at = now()
  where model = :model and id_hash = :hash and consumed_at is null returning 1`

const destroy = `delete from short_lived_records where model = :model and id_hash = :hash`

/** Stores interactions, pushed authorization requests and seen proofs. */
export function shortLivedStore(model: string, systemSql: SystemSql): Partial<Adapter> {
  const once = model === 'ReplayDetection'
  return {
    async upsert(id, { jti: _, ...payload }) {
      const stored = JSON.stringify(withoutCookie(payload))
      const values = { model, hash: hashToken(id), payload: stored, expires_at: payload.exp }
      const written = await systemSql(once ? 'short-lived.insert-once' : 'short-lived.upsert', once ? insertOnce : upsert, values)
      if (once && written.length === 0) throw new errors.InvalidGrant('proof of possession was already used')
    },
    async find(id) {
      const [found] = await systemSql<{ payload: AdapterPayload; consumed: boolean }>('short-lived.find', find, {
        model,
        hash: hashToken(id),
      })
      return found && { ...found.payload, jti: id, ...(found.consumed && { consumed: true }) }
    },
    async consume(id) {
      const won = await systemSql('short-lived.consume', consume, { model, hash: hashToken(id) })
      if (won.length === 0) throw new errors.InvalidRequestUri('request_uri was already used')
    },
    async destroy(id) {
      await systemSql('short-lived.destroy', destroy, { model, hash: hashToken(id) })
    },
  }
}

/** An interaction references its session by uid; the id in the browser's cookie is stored nowhere in clear text. */
function withoutCookie(payload: AdapterPayload): AdapterPayload {
  if (!payload.session) return payload
  const { cookie: _, ...session } = payload.session
  return { ...payload, session } as AdapterPayload
}
