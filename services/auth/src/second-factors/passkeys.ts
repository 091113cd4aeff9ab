import type { SystemSql } from '@quittance/sql/sql-runner'
import type { AuthenticatorTransport } from '@simplewebauthn/server'

/** A passkey of an account. */
export interface Passkey {
  id: string
  accountId: string
  /** Base64url, as in browsers. */
  credentialId: string
  /** COSE key. */
  publicKey: Uint8Array<ArrayBuffer>
  /** Signature counter; stays 0 for most synced passkeys. */
  counter: number
  transports: AuthenticatorTransport[]
  name: string
  /** Synced by its provider to other devices. */
  isBackedUp: boolean
  createdAt: string
  lastUsedAt: string | null
}

interface PasskeyRow {
  id: string
  account_id: string
  credential_id: string
  public_key: string
  counter: string
  transports: AuthenticatorTransport[]
  name: string
  is_backed_up: boolean
  created_at: string
  last_used_at: string | null
}

const columns = `id, account_id, credential_id, encode(public_key, 'hex') as public_key, counter::text, transports, name, is_backed_up,
  to_json(created_at)#>>'{}' as created_at, to_json(last_used_at)#>>'{}' as last_used_at`
const findAll = `select ${columns} from passkeys where account_id = :account_id order by created_at, id`
const findOne = `select ${columns} from passkeys where credential_id = :credential_id`

export async function readPasskeys(systemSql: SystemSql, accountId: string): Promise<Passkey[]> {
  return (await systemSql<PasskeyRow>('passkeys.find', findAll, { account_id: accountId })).map(toPasskey)
}

export async function findPasskey(systemSql: SystemSql, credentialId: string): Promise<Passkey | null> {
  const [found] = await systemSql<PasskeyRow>('passkeys.find-one', findOne, { credential_id: credentialId })
  return found ? toPasskey(found) : null
}

function toPasskey(row: PasskeyRow): Passkey {
  return {
    id: row.id,
    accountId: row.account_id,
    credentialId: row.credential_id,
    publicKey: new Uint8Array(Buffer.from(row.public_key, 'hex')),
    counter: Number(row.counter),
    transports: row.transports,
    name: row.name,
    isBackedUp: row.is_backed_up,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
  }
}

/** More than users need; limits the rows that a hijacked session can create. */
const maxPasskeys = 20

const insert = `
  insert into passkeys (account_id, credential_id, public_key, counter, transports, name, is_backed_up)
  select :account_id::uuid, :credential_id::text, decode(:public_key, 'hex'), :counter::bigint, :transports::text[], :name::text,
    :is_backed_up::boolean
  where (select count(*) from passkeys where account_id = :account_id::uuid) < ${maxPasskeys}
  on conflict (credential_id) do nothing returning 1`

/** Stores a passkey; returns false if the credential is already registered or the account has 20 passkeys. */
export async function storePasskey(systemSql: SystemSql, passkey: Omit<Passkey, 'id' | 'createdAt' | 'lastUsedAt'>): Promise<boolean> {
  const stored = await systemSql('passkeys.insert', insert, {
    account_id: passkey.accountId,
    credential_id: passkey.credentialId,
    public_key: Buffer.from(passkey.publicKey).toString('hex'),
    counter: passkey.counter,
    transports: passkey.transports,
    name: passkey.name,
    is_backed_up: passkey.isBackedUp,
  })
  return stored.length > 0
}

/** WebAuthn §6.1.1: a counter that does not grow indicates a cloned authenticator. Compared and set in one statement. */
const use = `
  update passkeys set counter = :counter, last_used_at = now(), is_backed_up = :is_backed_up
  where id = :id and (counter < :counter or (counter = 0 and :counter::bigint = 0)) returning 1`

export async function recordPasskeyUse(systemSql: SystemSql, used: { id: string; counter: number; isBackedUp: boolean }): Promise<boolean> {
  return (await systemSql('passkeys.use', use, { id: used.id, counter: used.counter, is_backed_up: used.isBackedUp })).length > 0
}

const remove = `delete from passkeys where account_id = :account_id and id::text = :id`

export async function removePasskey(systemSql: SystemSql, { accountId, id }: { accountId: string; id: string }): Promise<void> {
  await systemSql('passkeys.remove', remove, { account_id: accountId, id })
}
