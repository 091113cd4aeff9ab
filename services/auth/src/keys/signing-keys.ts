import { createPublicKey, generateKeyPair, randomUUID, type JsonWebKey } from 'node:crypto'
import { promisify } from 'node:util'
import type { SystemSql } from '@quittance/sql/sql-runner'
import { openSecret, sealSecret } from '@quittance/runtime/encryption'
import { ExternalSigningKey, type JWK } from 'oidc-provider'

/** RS256 for ID tokens, which every client can verify; ES256 for JWT access tokens, which are signed more often. */
const algorithms = ['RS256', 'ES256'] as const
type Algorithm = (typeof algorithms)[number]

interface KeyRow {
  kid: string
  alg: Algorithm
  state: 'next' | 'current' | 'retired'
  public_key: JWK
  /** Null for retired keys, which only verify. */
  sealed: string | null
}

/**
 * Newest first within a state, so that all replicas pass the same list to the provider. The private part of retired keys is not read: no key of
 * SECRETS_KEY has to be kept for it. It is still stored, because the release before reads it.
 */
const find = `select kid, alg, state, public_key, case when state <> 'retired' then private_key_sealed end as sealed from signing_keys
  order by array_position(array['current', 'next', 'retired'], state), created_at desc, kid`

const insert = `insert into signing_keys (kid, alg, state, public_key, private_key_sealed)
  values (:kid, :alg, :state, :public_key::jsonb, :private_key_sealed) on conflict do nothing`

/**
 * Reads the keys for the provider; the first of an algorithm signs: current, then next. All are published. Retired keys have no private part.
 */
export async function readSigningKeys(systemSql: SystemSql, keys: readonly Uint8Array[]): Promise<JWK[]> {
  const found = await systemSql<KeyRow>('signing-keys.find', find)
  return found.map(({ kid, alg, public_key, sealed }) => ({
    ...(sealed === null ? public_key : JSON.parse(openSecret(sealed, { keys, context: kid }))),
    kid,
    alg,
    use: 'sig',
  }))
}

/** A key without its private part: published, and used to verify what it signed. The library accepts such a key in this form only. */
class RetiredKey extends ExternalSigningKey {
  readonly #jwk: JWK

  constructor(jwk: JWK) {
    super()
    this.#jwk = jwk
  }

  override get kid() {
    return this.#jwk.kid
  }

  override get alg() {
    return this.#jwk.alg
  }

  override keyObject() {
    return createPublicKey({ key: this.#jwk as JsonWebKey, format: 'jwk' })
  }

  override sign(): never {
    throw new Error(`The signing key ${this.#jwk.kid} is retired`)
  }
}

/** Converts keys for the library: those with a private part sign, the others only verify. */
export function toProviderKeys(keys: readonly JWK[]): (JWK | ExternalSigningKey)[] {
  return keys.map((key) => ('d' in key ? key : new RetiredKey(key)))
}

/** Reads the public part of the keys (RFC 7517). */
export async function readPublicKeys(systemSql: SystemSql) {
  const found = await systemSql<KeyRow>('signing-keys.find', find)
  return found.map(({ kid, alg, state, public_key }) => ({ state, key: { ...public_key, kid, alg, use: 'sig' as const } }))
}

/** Creates the initial keys of an installation. If replicas start together, all try and the first insert wins. */
export async function ensureSigningKeys(systemSql: SystemSql, keys: readonly Uint8Array[]): Promise<void> {
  const found = await systemSql<KeyRow>('signing-keys.find', find)
  for (const alg of algorithms) {
    for (const state of ['current', 'next'] as const) {
      if (!found.some((row) => row.alg === alg && row.state === state)) await insertSigningKey(systemSql, { alg, state, keys })
    }
  }
}

/** Rotates: `next` becomes `current`, and `current` becomes `retired`, which still verifies. Must run in a transaction. */
export async function advanceSigningKeys(systemSql: SystemSql, keys: readonly Uint8Array[]): Promise<void> {
  await systemSql('signing-keys.retire', `update signing_keys set state = 'retired', retired_at = now() where state = 'current'`)
  await systemSql('signing-keys.promote', `update signing_keys set state = 'current' where state = 'next'`)
  for (const alg of algorithms) await insertSigningKey(systemSql, { alg, state: 'next', keys })
}

interface NewSigningKey {
  alg: Algorithm
  state: 'next' | 'current'
  keys: readonly Uint8Array[]
}

async function insertSigningKey(systemSql: SystemSql, { alg, state, keys }: NewSigningKey): Promise<void> {
  const pair = await (alg === 'RS256'
    ? promisify(generateKeyPair)('rsa', { modulusLength: 2048 })
    : promisify(generateKeyPair)('ec', { namedCurve: 'P-256' }))
  const kid = randomUUID()
  await systemSql('signing-keys.insert', insert, {
    kid,
    alg,
    state,
    public_key: JSON.stringify(pair.publicKey.export({ format: 'jwk' })),
    private_key_sealed: sealSecret(JSON.stringify(pair.privateKey.export({ format: 'jwk' })), { keys, context: kid }),
  })
}
