import { hash } from 'node:crypto'
import { InvalidDpopProof } from '@quittance/contracts/errors'
import { calculateJwkThumbprint, EmbeddedJWK, errors, jwtVerify, type JWK } from 'jose'
import { LRUCache } from 'lru-cache'
import { z } from 'zod'

/** Signature algorithms a proof may use; announced in challenges and in the metadata. */
export const proofAlgorithms = ['ES256', 'RS256', 'EdDSA', 'Ed25519']

const Claims = z.object({ jti: z.string().min(1), htm: z.string(), htu: z.string(), iat: z.number(), ath: z.string() })

const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']

/** Maximum age of a proof in seconds, and how far it may be ahead of this clock. */
const maxAgeSeconds = 60
const maxAheadSeconds = 5
/** Proofs are remembered for as long as they could be replayed. */
const maxRememberedProofs = 100_000

/** The parts of a request with a key-bound token that its proof must match. */
export interface ProofOfPossession {
  /** Values of the `DPoP` header fields. */
  proofs: readonly string[]
  method: string
  /** As sent; the query is ignored. */
  path: string
  token: string
  /** RFC 7638 thumbprint of the key of the token. */
  keyThumbprint: string
}

/**
 * Creates a verifier of proofs of possession (RFC 9449 §4.3, §7) for an API at this address; it throws `InvalidDpopProof`. Each process
 * accepts a proof once. Replicas do not share proofs, so another replica could accept a copy within its minute.
 */
export function createProofVerifier(baseUrl: string): (possession: ProofOfPossession) => Promise<void> {
  const seen = new LRUCache<string, true>({ max: maxRememberedProofs, ttl: (maxAgeSeconds + maxAheadSeconds) * 1000 })
  return async ({ proofs, method, path, token, keyThumbprint }) => {
    const [proof, ...others] = proofs
    if (!proof || others.length > 0) throw new InvalidDpopProof('The request must carry exactly one DPoP proof.')
    const { jwk, claims } = await readProof(proof)
    const now = Date.now() / 1000
    const age = now - claims.iat
    const problem =
      (claims.htm !== method && 'The DPoP proof is for another method.') ||
      (normalizeTargetUri(claims.htu) !== normalizeTargetUri(baseUrl + path) && 'The DPoP proof is for another URL.') ||
      ((age > maxAgeSeconds || age < -maxAheadSeconds) && 'The DPoP proof is too old or from the future.') ||
      (claims.ath !== hash('sha256', token, 'base64url') && 'The DPoP proof is for another access token.') ||
      ((await calculateJwkThumbprint(jwk)) !== keyThumbprint && 'The DPoP proof is signed with a key that the token is not bound to.')
    if (problem) throw new InvalidDpopProof(problem)
    const proofId = `${keyThumbprint}.${hash('sha256', claims.jti)}`
    if (seen.has(proofId)) throw new InvalidDpopProof('The DPoP proof was already used.')
    seen.set(proofId, true)
  }
}

async function readProof(proof: string): Promise<{ jwk: JWK; claims: z.output<typeof Claims> }> {
  try {
    const { payload, protectedHeader } = await jwtVerify(proof, EmbeddedJWK, { algorithms: proofAlgorithms, typ: 'dpop+jwt' })
    const jwk = protectedHeader.jwk as JWK
    if (privateMembers.some((member) => member in jwk)) throw new errors.JWSInvalid('a private key')
    return { jwk, claims: Claims.parse(payload) }
  } catch (cause) {
    throw new InvalidDpopProof('The DPoP proof is invalid.', { cause })
  }
}

/**
 * Normalizes a URI for the comparison of DPoP proofs (RFC 9449 §4.3): without query and fragment, after the syntax- and scheme-based
 * normalization of RFC 3986 §6.2.2 and §6.2.3. Returns null if it is not an http(s) URI.
 */
export function normalizeTargetUri(uri: string): string | null {
  if (!URL.canParse(uri)) return null
  const { protocol, origin, pathname } = new URL(uri)
  if (protocol !== 'https:' && protocol !== 'http:') return null
  return origin + pathname.replaceAll(/%[0-9a-f]{2}/gi, normalEscape)
}

function normalEscape(escape: string): string {
  const character = String.fromCharCode(Number.parseInt(escape.slice(1), 16))
  return /[\w.~-]/.test(character) ? character : escape.toUpperCase()
}
