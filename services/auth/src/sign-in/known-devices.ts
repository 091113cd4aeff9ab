import { randomBytes } from 'node:crypto'
import { hashToken } from '@quittance/runtime/credential'
import type { SystemSql } from '@quittance/sql/sql-runner'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Provider } from 'oidc-provider'

/** Maximum cookie lifetime in Chrome. */
export const deviceDays = 400

const cookieName = (secure: boolean) => (secure ? '__Host-qt_device' : 'qt_device')

/** Returns the hash of the device cookie of a browser; null without one. It proves something only for accounts it is stored with. */
export function readDeviceHash(provider: Provider, request: FastifyRequest, reply: FastifyReply): string | null {
  const { cookies, secure } = provider.createContext(request.raw, reply.raw)
  const value = cookies.get(cookieName(secure), { signed: false })
  return value && value.length <= 100 ? hashToken(value) : null
}

const find = `select 1 from known_devices where account_id = :account_id and device_hash = :device_hash`

/** Returns whether this browser has signed in to this account before. */
export async function isKnownDevice(
  systemSql: SystemSql,
  { accountId, device }: { accountId: string; device: string | null },
): Promise<boolean> {
  if (!device) return false
  return (await systemSql('known-devices.find', find, { account_id: accountId, device_hash: device })).length > 0
}

/** The value changes at every sign-in: one that was planted in a browser or read from it becomes useless. */
const remember = `
  with replaced as (delete from known_devices where device_hash = :previous returning account_id)
  insert into known_devices (account_id, device_hash)
  select distinct account_id, :fresh::text from (select account_id from replaced union select :account_id::uuid) kept (account_id)`

/** More than users need; limits the rows of a program that signs in repeatedly without cookies. */
const maxDevices = 50

const deleteOldest = `
  delete from known_devices where account_id = :account_id and device_hash in (
    select device_hash from known_devices where account_id = :account_id order by signed_in_at desc offset ${maxDevices})`

/** Stores that this browser signed in to an account, and sets a new cookie. Other accounts it signed in to still know it. */
export async function rememberDevice(
  { provider, systemSql, request, reply }: { provider: Provider; systemSql: SystemSql; request: FastifyRequest; reply: FastifyReply },
  accountId: string,
): Promise<void> {
  const { cookies, secure } = provider.createContext(request.raw, reply.raw)
  const value = randomBytes(32).toString('base64url')
  const previous = readDeviceHash(provider, request, reply)
  await systemSql('known-devices.upsert', remember, { previous, fresh: hashToken(value), account_id: accountId })
  await systemSql('known-devices.delete-oldest', deleteOldest, { account_id: accountId })
  const maxAge = deviceDays * 24 * 3_600_000
  cookies.set(cookieName(secure), value, { signed: false, httpOnly: true, sameSite: 'lax', path: '/', secure, maxAge })
}

/** Deletes the known browsers of the account. */
export async function deleteDevices(systemSql: SystemSql, accountId: string): Promise<void> {
  await systemSql('known-devices.delete', `delete from known_devices where account_id = :account_id`, { account_id: accountId })
}
