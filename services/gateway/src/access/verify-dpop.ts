import { hash } from 'node:crypto'
import { InvalidDpopProof } from '@quittance/contracts/errors'
import { calculateJwkThumbprint, EmbeddedJWK, errors, jwtVerify, type JWK } from 'jose'
import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import { proofTarget } from './proof-target.ts'

/** Signature algorithms a proof may use; announced in challenges and in the metadata. */
export const proofAlgorithms = ['ES256', 'RS256', 'EdDSA', 'Ed25519']

const Claims = z.object({ jti: z.string().min(1), htm: z.string(), htu: z.string(), iat: z.number(), ath: z.string() })

const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']

/** Seconds a proof may be old, and ahead of this clock. */
const maxAge = 60
const maxAhead = 5
/** Proofs of one credential are known apart for as long as they could be sent again. */
const rememberedProofs = 100_000

/** What came with a request that presents a key-bound token. */
export interface Possession {
  /** Values of the `DPoP` header fields. */
  proofs: readonly string[]
  method: string
  /** As it was sent; a query is ignored. */
  path: string
  token: string
  /** RFC 7638 thumbprint of the key that the token is bound to. */
  keyThumbprint: string
}

/**
 * Checks proofs of possession (RFC 9449 §4.3, §7) for an API at this address; throws `InvalidDpopProof`. A proof is taken once
 * by each process: replicas do not tell each other, so a copy could be taken by another one within its minute.
 */
export function createProofVerifier(baseUrl: string): (possession: Possession) => Promise<void> {
  const seen = new LRUCache<string, true>({ max: rememberedProofs, ttl: (maxAge + maxAhead) * 1000 })
  return async ({ proofs, method, path, token, keyThumbprint }) => {
    const [proof, ...others] = proofs
    if (!proof || others.length > 0) throw new InvalidDpopProof('The request must carry exactly one DPoP proof.')
    const { jwk, claims } = await readProof(proof)
    const now = Date.now() / 1000
    const age = now - claims.iat
    const refusal =
      (claims.htm !== method && 'The DPoP proof is for another method.') ||
      (proofTarget(claims.htu) !== proofTarget(baseUrl + path) && 'The DPoP proof is for another address.') ||
      ((age > maxAge || age < -maxAhead) && 'The DPoP proof is too old, or from the future.') ||
      (claims.ath !== hash('sha256', token, 'base64url') && 'The DPoP proof is for another access token.') ||
      ((await calculateJwkThumbprint(jwk)) !== keyThumbprint && 'The DPoP proof is signed with another key than the token is bound to.')
    if (refusal) throw new InvalidDpopProof(refusal)
    const one = `${keyThumbprint}.${hash('sha256', claims.jti)}`
    if (seen.has(one)) throw new InvalidDpopProof('The DPoP proof was used before.')
    seen.set(one, true)
  }
}

async function readProof(proof: string): Promise<{ jwk: JWK; claims: z.output<typeof Claims> }> {
  try {
    const { payload, protectedHeader } = await jwtVerify(proof, EmbeddedJWK, { algorithms: proofAlgorithms, typ: 'dpop+jwt' })
    const jwk = protectedHeader.jwk as JWK
    if (privateMembers.some((member) => member in jwk)) throw new errors.JWSInvalid('a private key')
    return { jwk, claims: Claims.parse(payload) }
  } catch (cause) {
    throw new InvalidDpopProof('The DPoP proof is not a valid one.', { cause })
  }
}
