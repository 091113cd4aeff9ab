import { LRUCache } from 'lru-cache'
import { namesOf, type Answer, type Verified } from './verified.ts'

/** Credentials that were verified a moment ago, by their SHA-256. */
export interface Memory {
  /** What is remembered, or the answer to the question; asked once, however many want to know. Null: not valid. */
  recall(hash: string, ask: () => Promise<Answer>): Promise<Verified | null>
  /** Drops everything that goes by one of these names; an answer that was under way meanwhile is asked for again. */
  forget(names: readonly string[]): void
}

/** A question under way, and what was revoked since it was asked. */
interface Question {
  heard: Set<string>
  answer: Promise<Verified | null>
}

interface Entry {
  verified: Verified | null
}

const cachedCredentials = 50_000

export function createMemory(): Memory {
  const questions = new Map<string, Question>()
  /** Hashes by the other things a revocation can name, so that a storm of revocations costs no walks through the cache. */
  const named = new Map<string, Set<string>>()
  const cache = new LRUCache<string, Entry>({ max: cachedCredentials, dispose: ({ verified }, hash) => unlink(verified, hash) })
  return {
    async recall(hash, ask) {
      const known = cache.get(hash)
      if (known) return known.verified
      const asked = questions.get(hash)
      if (asked) return asked.answer
      const heard = new Set<string>()
      const answer = settle(hash, { heard, ask }).finally(() => questions.delete(hash))
      questions.set(hash, { heard, answer })
      return answer
    },
    forget(names) {
      for (const name of names) {
        for (const { heard } of questions.values()) heard.add(name)
        cache.delete(name)
        for (const hash of [...(named.get(name) ?? [])]) cache.delete(hash)
      }
    },
  }

  async function settle(hash: string, { heard, ask }: Pick<Question, 'heard'> & { ask: () => Promise<Answer> }) {
    for (;;) {
      heard.clear()
      const { verified, ttlMs } = await ask()
      // Only now is known what the credential comes from. What auth said may be older than the revocation.
      if (verified && [hash, ...namesOf(verified.origin)].some((name) => heard.has(name))) continue
      cache.set(hash, { verified }, { ttl: ttlMs })
      link(verified, hash)
      return verified
    }
  }

  function link(verified: Verified | null, hash: string): void {
    for (const name of verified ? namesOf(verified.origin) : []) {
      const hashes = named.get(name)
      if (hashes) hashes.add(hash)
      else named.set(name, new Set([hash]))
    }
  }

  function unlink(verified: Verified | null, hash: string): void {
    for (const name of verified ? namesOf(verified.origin) : []) {
      const hashes = named.get(name)
      hashes?.delete(hash)
      if (hashes?.size === 0) named.delete(name)
    }
  }
}
