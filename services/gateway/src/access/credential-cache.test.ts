import { expect, test } from 'vitest'
import { createCredentialCache } from './credential-cache.ts'
import { acceptCredential, revokedKeys, originKeys, type VerificationResult, type Revocation } from './verification-result.ts'

const noRevocation: Revocation = { token_hash: null, grant_id: null, client_id: null, user_id: null }
const verifiedAlone = { caller: { kind: 'client', client_id: 'c', token_id: 't' }, scopes: new Set<never>(), keyThumbprint: null } as const
const createResult = (lifetimeMs = Infinity): VerificationResult =>
  acceptCredential(verifiedAlone, { verifiedBy: 'auth', grantId: 'g', expiresAt: Date.now() + lifetimeMs })

const ownKeys = new Set(['h', ...originKeys({ grantId: 'g', clientId: 'c', userId: 'u' })])

test.each([{ token_hash: 'h' }, { grant_id: 'g' }, { client_id: 'c' }, { user_id: 'u' }])('%o revokes the credential', (which) => {
  expect(revokedKeys({ ...noRevocation, ...which }).filter((name) => ownKeys.has(name))).toHaveLength(1)
})

test('another hash, grant, client or user, or an empty revocation, revokes nothing', () => {
  const others = [{ token_hash: 'g' }, { grant_id: 'c' }, { client_id: 'u' }, { user_id: 'c' }, {}]
  expect(others.flatMap((other) => revokedKeys({ ...noRevocation, ...other })).filter((name) => ownKeys.has(name))).toEqual([])
})

test('deleting a customer revokes only that customer’s sessions', () => {
  const session = (customerId: string): VerificationResult =>
    acceptCredential(
      {
        caller: { kind: 'customer', organization_id: 'o', customer_id: customerId, token_id: 't' },
        scopes: new Set<never>(),
        keyThumbprint: null,
      },
      { verifiedBy: 'orders', grantId: null, expiresAt: Infinity },
    )
  const names = originKeys({ customerId: 'c' })
  expect(originKeys(session('c').verified?.origin ?? {})).toEqual(names)
  expect([...ownKeys, ...originKeys(session('d').verified?.origin ?? {})].filter((name) => names.includes(name))).toEqual([])
})

test('caches a result for ten seconds, but never past the expiry of the credential', () => {
  expect(createResult().ttlMs).toBe(10_000)
  expect(createResult(3_000).ttlMs).toBeLessThanOrEqual(3_000)
  expect(createResult(-1).ttlMs).toBe(1)
})

test('repeats a verification that has failed', async () => {
  const cache = createCredentialCache()
  await expect(cache.getOrVerify('h', () => Promise.reject(new Error('unavailable')))).rejects.toThrow('unavailable')
  expect(await cache.getOrVerify('h', async () => createResult())).toMatchObject({ caller: { client_id: 'c' } })
})

test.each([{ token_hash: 'h' }, { grant_id: 'g' }, { client_id: 'c' }])(
  'does not accept a result that is older than the revocation of %o',
  async (which) => {
    const cache = createCredentialCache()
    const verifications: PromiseWithResolvers<VerificationResult>[] = []
    const verify = () => {
      const verification = Promise.withResolvers<VerificationResult>()
      verifications.push(verification)
      return verification.promise
    }
    const found = Promise.all([cache.getOrVerify('h', verify), cache.getOrVerify('h', verify)])
    cache.invalidate(revokedKeys({ ...noRevocation, ...which }))
    verifications[0]?.resolve(createResult())
    await expect.poll(() => verifications.length).toBe(2)
    verifications[1]?.resolve({ verified: null, ttlMs: 1_000 })
    expect(await found).toEqual([null, null])
    expect(await cache.getOrVerify('h', verify)).toBeNull()
    expect(verifications).toHaveLength(2)
  },
)

test('accepts a pending result when another grant is revoked', async () => {
  const cache = createCredentialCache()
  const verification = Promise.withResolvers<VerificationResult>()
  const found = cache.getOrVerify('h', () => verification.promise)
  cache.invalidate(revokedKeys({ ...noRevocation, grant_id: 'another' }))
  verification.resolve(createResult())
  expect(await found).not.toBeNull()
})

test('evicts the cached credentials of a grant and no others', async () => {
  const cache = createCredentialCache()
  const results = new Map([
    ['h1', createResult()],
    ['h2', acceptCredential(verifiedAlone, { verifiedBy: 'auth', grantId: 'other', expiresAt: Infinity })],
  ])
  const verifications: string[] = []
  const getVerified = (hash: string) =>
    cache.getOrVerify(hash, async () => {
      verifications.push(hash)
      return results.get(hash) as VerificationResult
    })
  await Promise.all([getVerified('h1'), getVerified('h2')])
  cache.invalidate(revokedKeys({ ...noRevocation, grant_id: 'g' }))
  await Promise.all([getVerified('h1'), getVerified('h2')])
  expect(verifications).toEqual(['h1', 'h2', 'h1'])
})

test.each(['auth', 'orders'] as const)('%s cannot state a caller that another service is responsible for', (verifiedBy) => {
  const foreign = { auth: 'customer', orders: 'client' } as const
  const callers = {
    client: verifiedAlone.caller,
    customer: { kind: 'customer', organization_id: 'o', customer_id: 'c', token_id: 't' },
  } as const
  const accept = (caller: (typeof callers)[keyof typeof callers]) =>
    acceptCredential({ ...verifiedAlone, caller }, { verifiedBy, grantId: null, expiresAt: Infinity })
  expect(() => accept(callers[foreign[verifiedBy]])).toThrow(`The service ${verifiedBy} verified a credential as a caller`)
})
