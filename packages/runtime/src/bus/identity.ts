import { createPrivateKey, createPublicKey, createSecretKey, diffieHellman, hkdfSync, type KeyObject } from 'node:crypto'
import { busUsers, type BusUser } from '@quittance/contracts/nats-users'

/**
 * Keys of one NATS user. A user has one secret, its seed. Two key pairs are derived from it: Ed25519 (RFC 8032) signs events; X25519 (RFC
 * 7748) agrees with each other user on a key that authenticates requests between these two. A stolen seed can impersonate only its own
 * user.
 */
export interface BusIdentity {
  user: BusUser
  /** Newest signing key; the first seed of `BUS_KEY`. */
  signingKey: KeyObject
  /** Ed25519 keys of a publisher, in the order of `BUS_PUBLIC_KEYS`. Empty for a user that is not listed. */
  verificationKeys(publisher: BusUser): readonly KeyObject[]
  /**
   * HMAC keys of requests between this user and another, for every pair of their current keys. The first is derived from the newest seed
   * and the other user's first public key, and is used to sign.
   */
  requestKeys(parties: { sender: BusUser; owner: BusUser }): readonly KeyObject[]
}

export interface BusKeys {
  user: BusUser
  /** Seeds of 32 bytes, newest first. */
  seeds: readonly Uint8Array[]
  /** Public keys of every user; several of one user while it rotates. */
  publicKeys: readonly PublicBusKey[]
}

export interface PublicBusKey {
  user: BusUser
  /** Ed25519 and X25519 public keys, 32 bytes each, one after the other. */
  bytes: Uint8Array
}

const seedBytes = 32
/** DER of PKCS #8 before the 32 bytes of a private key (RFC 8410 §7). */
const pkcs8 = { ed25519: '302e020100300506032b657004220420', x25519: '302e020100300506032b656e04220420' } as const
type Curve = keyof typeof pkcs8

/** Derives the keys of a user. Pairwise keys are computed on first use and cached. */
export function createBusIdentity({ user, seeds, publicKeys }: BusKeys): BusIdentity {
  const [newest] = seeds
  if (!newest) throw new Error('BUS_KEY contains no key')
  const agreementKeys = seeds.map((seed) => privateKey(seed, 'x25519'))
  const listed = Map.groupBy(publicKeys, (key) => key.user)
  const verification = new Map(
    [...listed].map(([name, keys]) => [name, keys.map(({ bytes }) => publicKey(bytes.subarray(0, 32), 'Ed25519'))]),
  )
  const requests = new Map<string, readonly KeyObject[]>()
  return {
    user,
    signingKey: privateKey(newest, 'ed25519'),
    verificationKeys: (publisher) => verification.get(publisher) ?? [],
    requestKeys({ sender, owner }) {
      const context = `quittance request ${sender} ${owner}`
      let keys = requests.get(context)
      if (!keys) {
        const others = (listed.get(sender === user ? owner : sender) ?? []).map(({ bytes }) => publicKey(bytes.subarray(32), 'X25519'))
        keys = agreementKeys.flatMap((own) => others.map((other) => requestKey({ own, other, context })))
        requests.set(context, keys)
      }
      return keys
    },
  }
}

function requestKey({ own, other, context }: { own: KeyObject; other: KeyObject; context: string }): KeyObject {
  const shared = diffieHellman({ privateKey: own, publicKey: other })
  return createSecretKey(Buffer.from(hkdfSync('sha256', shared, '', context, 32)))
}

function privateKey(seed: Uint8Array, curve: Curve): KeyObject {
  const scalar = Buffer.from(hkdfSync('sha256', seed, '', `quittance bus ${curve}`, 32))
  return createPrivateKey({ key: Buffer.concat([Buffer.from(pkcs8[curve], 'hex'), scalar]), format: 'der', type: 'pkcs8' })
}

function publicKey(bytes: Uint8Array, crv: 'Ed25519' | 'X25519'): KeyObject {
  return createPublicKey({ key: { kty: 'OKP', crv, x: Buffer.from(bytes).toString('base64url') }, format: 'jwk' })
}

/** Returns the public half of a seed in base64url, as `BUS_PUBLIC_KEYS` lists it for its user. */
export function publicBusKey(seed: Uint8Array): string {
  const halves = (['ed25519', 'x25519'] as const).map((curve) => {
    const { x } = createPublicKey(privateKey(seed, curve)).export({ format: 'jwk' })
    return Buffer.from(x as string, 'base64url')
  })
  return Buffer.concat(halves).toString('base64url')
}

/** Parses `BUS_KEY`: seeds of 32 bytes in base64 or base64url, separated by commas, newest first. Throws on any other length. */
export function parseBusSeeds(text: string): Uint8Array[] {
  return text.split(',').map((part) => {
    const seed = Buffer.from(part.trim(), 'base64')
    if (seed.length !== seedBytes) throw new Error('BUS_KEY must contain keys of 32 bytes in base64')
    return seed
  })
}

/**
 * Parses `BUS_PUBLIC_KEYS`: `user=key` separated by commas. A user may be listed twice while its key rotates; the first key is used to sign
 * requests.
 */
export function parsePublicBusKeys(text: string): PublicBusKey[] {
  return text.split(',').map((part) => {
    const [user, key = ''] = part.trim().split('=', 2)
    const bytes = Buffer.from(key, 'base64url')
    if (!busUsers.includes(user as BusUser) || bytes.length !== 2 * seedBytes) {
      throw new Error(`BUS_PUBLIC_KEYS must list user=key; the entry of ${user || 'no user'} is invalid`)
    }
    return { user: user as BusUser, bytes }
  })
}

/** Formats `BUS_PUBLIC_KEYS` for the seeds of all users; a user whose key rotates has several. */
export function formatPublicBusKeys(seeds: Readonly<Record<BusUser, Uint8Array | readonly Uint8Array[]>>): string {
  return busUsers.flatMap((user) => [seeds[user]].flat().map((seed) => `${user}=${publicBusKey(seed)}`)).join(',')
}
