import { LRUCache } from 'lru-cache'
import { originKeys, type VerificationResult, type VerifiedCredential } from './verification-result.ts'

/** Cache of recently verified credentials by SHA-256 hash. */
export interface CredentialCache {
  /** Returns the cached result, or calls `verify` once for all concurrent callers. Null: not valid. */
  getOrVerify(hash: string, verify: () => Promise<VerificationResult>): Promise<VerifiedCredential | null>
  /** Evicts all entries with one of these names, and repeats pending verifications that they concern. */
  invalidate(names: readonly string[]): void
  /** Evicts all entries. */
  clear(): void
}

/** A verification in progress and the names revoked since its start. */
interface PendingVerification {
  revoked: Set<string>
  result: Promise<VerifiedCredential | null>
}

interface Entry {
  verified: VerifiedCredential | null
}

const cachedCredentials = 50_000

export function createCredentialCache(): CredentialCache {
  const pending = new Map<string, PendingVerification>()
  /** Hashes by the other names of a revocation, so that many revocations do not scan the cache. */
  const hashesByName = new Map<string, Set<string>>()
  const cache = new LRUCache<string, Entry>({ max: cachedCredentials, dispose: ({ verified }, hash) => unlink(verified, hash) })
  return {
    async getOrVerify(hash, verify) {
      const cached = cache.get(hash)
      if (cached) return cached.verified
      const current = pending.get(hash)
      if (current) return current.result
      const revoked = new Set<string>()
      const result = verifyUntilCurrent(hash, { revoked, verify }).finally(() => pending.delete(hash))
      pending.set(hash, { revoked, result })
      return result
    },
    invalidate(names) {
      for (const name of names) {
        for (const { revoked } of pending.values()) revoked.add(name)
        cache.delete(name)
        for (const hash of hashesByName.get(name) ?? []) cache.delete(hash)
      }
    },
    clear: () => cache.clear(),
  }

  async function verifyUntilCurrent(
    hash: string,
    { revoked, verify }: Pick<PendingVerification, 'revoked'> & { verify: () => Promise<VerificationResult> },
  ) {
    for (;;) {
      revoked.clear()
      const { verified, ttlMs } = await verify()
      // The origin of the credential is known only now. The result may be older than the revocation.
      if (verified && [hash, ...originKeys(verified.origin)].some((name) => revoked.has(name))) continue
      cache.set(hash, { verified }, { ttl: ttlMs })
      link(verified, hash)
      return verified
    }
  }

  function link(verified: VerifiedCredential | null, hash: string): void {
    for (const name of verified ? originKeys(verified.origin) : []) {
      const hashes = hashesByName.get(name)
      if (hashes) hashes.add(hash)
      else hashesByName.set(name, new Set([hash]))
    }
  }

  function unlink(verified: VerifiedCredential | null, hash: string): void {
    for (const name of verified ? originKeys(verified.origin) : []) {
      const hashes = hashesByName.get(name)
      hashes?.delete(hash)
      if (hashes?.size === 0) hashesByName.delete(name)
    }
  }
}
