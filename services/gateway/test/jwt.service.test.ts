import { createHmac, randomUUID } from 'node:crypto'
import { listSigningKeys, verifyGrant } from '@quittance/contracts/auth'
import { organizationCaller } from '@quittance/testing/callers'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { createKeySet } from '../src/access/key-set.ts'
import { createIssuer } from './jwt-issuer.ts'
import { authUrl, baseUrl, bearer, invalidCredentialReply, startGateway, verification } from './start-gateway.ts'

const issuer = await createIssuer('current')
const rsa = await createIssuer('rsa', 'RS256')
const keys = JSON.stringify({ keys: [issuer.jwk, rsa.jwk] })
const seller = organizationCaller(randomUUID())
const validGrantReply = JSON.stringify({ caller: { ...seller, client_id: 'client' } })

async function startWithKeys() {
  const gateway = await startGateway()
  return {
    gateway,
    keyLists: await gateway.play(listSigningKeys.subject, keys),
    verifications: await gateway.play(verification, invalidCredentialReply),
    orders: await gateway.play('orders.order.list', '{}'),
    use: (token: string) => gateway.fetch('/v1/orders/', { headers: bearer(token) }),
    [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose](),
  }
}

test('verifies a JWT locally and its grant with auth once in ten seconds; fetches keys once', async () => {
  await using system = await startWithKeys()
  const grants = await system.gateway.play(verifyGrant.subject, validGrantReply)
  const token = await issuer.sign({ claims: { jti: 'one' } })
  for (let times = 0; times < 3; times++) expect((await system.use(token)).status).toBe(200)
  expect((await system.use(await issuer.sign({ claims: { jti: 'two' } }))).status).toBe(200)
  expect(grants.map(({ body }) => body)).toEqual([
    { grant_id: 'grant', token_id: 'one' },
    { grant_id: 'grant', token_id: 'two' },
  ])
  expect(system.keyLists).toHaveLength(1)
  expect(system.verifications).toEqual([])
  expect(JSON.parse(system.orders[0]?.headers['caller'] ?? '')).toMatchObject({ organization_id: expect.any(String), client_id: 'client' })
})

test('limits a JWT to its scope', async () => {
  await using system = await startWithKeys()
  await system.gateway.play(verifyGrant.subject, validGrantReply)
  expect((await system.use(await issuer.sign({ claims: { scope: 'products:read' } }))).status).toBe(403)
  expect((await system.use(await issuer.sign({ claims: { scope: undefined } }))).status).toBe(403)
})

const now = Math.floor(Date.now() / 1000)
const withClaims = (claims: Record<string, unknown>) => () => issuer.sign({ claims })
const publicKeyAsSecret = Buffer.from(JSON.stringify(issuer.jwk))
const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const readPayload = (token: string) => token.split('.')[1] as string

test.each<[string, () => Promise<string>]>([
  ['an ID token', () => issuer.sign({ claims: { aud: 'client' }, header: { typ: 'JWT' } })],
  ['the type JWT', () => issuer.sign({ header: { typ: 'JWT' } })],
  ['no type', () => issuer.sign({ header: { typ: undefined } })],
  ['another audience', withClaims({ aud: authUrl })],
  ['no audience', withClaims({ aud: undefined })],
  ['another issuer', withClaims({ iss: `${baseUrl}.evil.test` })],
  ['the issuer with a slash', withClaims({ iss: `${baseUrl}/` })],
  ['an expiry in the past', withClaims({ exp: now - 1 })],
  ['no expiry', withClaims({ exp: undefined })],
  ['no grant', withClaims({ grant_id: undefined })],
  ['no identifier', withClaims({ jti: undefined })],
  ['no client', withClaims({ client_id: undefined })],
  ['a confirmation that is not a thumbprint', withClaims({ cnf: { 'x5t#S256': 'x' } })],
  ['an RS256 signature by a listed key', () => rsa.sign()],
  ['another private key', async () => issuer.sign({ key: (await createIssuer('current')).privateKey })],
  ['an unknown key', async () => (await createIssuer('unknown')).sign()],
  ['the algorithm none', async () => `${part({ alg: 'none', typ: 'at+jwt' })}.${readPayload(await issuer.sign())}.${part('x')}`],
  ['no signature', async () => `${part({ alg: 'none', typ: 'at+jwt' })}.${readPayload(await issuer.sign())}.`],
  [
    'an HS256 signature made with the public key',
    async () => {
      const signed = `${part({ alg: 'HS256', typ: 'at+jwt', kid: 'current' })}.${readPayload(await issuer.sign())}`
      return `${signed}.${createHmac('sha256', publicKeyAsSecret).update(signed).digest('base64url')}`
    },
  ],
  [
    'a changed payload',
    async () => (await issuer.sign()).replace(/\.[^.]+\./, `.${readPayload(await issuer.sign({ claims: { sub: 'x' } }))}.`),
  ],
  ['parts that are not JSON', async () => 'aaaa.bbbb.cccc'],
])('returns invalid_token for a JWT with %s and does not verify the grant', async (_name, make) => {
  await using system = await startWithKeys()
  const grants = await system.gateway.play(verifyGrant.subject, validGrantReply)
  const response = await system.use(await make())
  expect(response.status).toBe(401)
  expect(await response.json()).toMatchObject({ error: 'invalid_token' })
  expect(grants).toEqual([])
  expect(system.verifications).toEqual([])
})

test('returns invalid_token for a JWT whose grant is revoked', async () => {
  await using system = await startWithKeys()
  await system.gateway.play(verifyGrant.subject, invalidCredentialReply)
  expect((await system.use(await issuer.sign())).status).toBe(401)
})

test.each([{ grant_id: 'grant' }, { client_id: 'client' }])('verifies the JWT again after the revocation of %o', async (revoked) => {
  await using system = await startWithKeys()
  const grants = await system.gateway.play(verifyGrant.subject, (_body, count) => (count === 1 ? validGrantReply : invalidCredentialReply))
  const token = await issuer.sign()
  expect((await system.use(token)).status).toBe(200)
  system.gateway.revoke(revoked)
  await eventually(async () => expect((await system.use(token)).status).toBe(401))
  expect(grants).toHaveLength(2)
})

test('rejects an expired JWT', async () => {
  await using system = await startWithKeys()
  await system.gateway.play(verifyGrant.subject, validGrantReply)
  const exp = Math.floor(Date.now() / 1000) + 5
  const token = await issuer.sign({ claims: { exp } })
  expect((await system.use(token)).status).toBe(200)
  await eventually(() => expect(Date.now()).toBeGreaterThan(exp * 1000 + 100))
  expect((await system.use(token)).status).toBe(401)
})

test('returns 503 if auth is unavailable for the keys or for the grant', async () => {
  await using gateway = await startGateway()
  const use = async () => (await gateway.fetch('/v1/orders/', { headers: bearer(await issuer.sign()) })).status
  expect(await use()).toBe(503)
  await gateway.play(listSigningKeys.subject, keys)
  expect(await use()).toBe(503)
})

test('fetches keys for an unknown key id, but not again for ten seconds', async () => {
  await using gateway = await startGateway()
  const fresh = await createIssuer('fresh')
  const lists = await gateway.play(listSigningKeys.subject, (_body, count) =>
    count === 1 ? keys : JSON.stringify({ keys: [issuer.jwk, fresh.jwk] }),
  )
  await gateway.play(verifyGrant.subject, validGrantReply)
  await gateway.play('orders.order.list', '{}')
  const use = async (token: string) => (await gateway.fetch('/v1/orders/', { headers: bearer(token) })).status
  expect(await use(await issuer.sign())).toBe(200)
  expect(await use(await fresh.sign())).toBe(200)
  expect(lists).toHaveLength(2)
  expect(await use(await (await createIssuer('never')).sign())).toBe(401)
  expect(lists).toHaveLength(2)
})

test('fetches old keys again, and keeps using them while auth is unavailable', async () => {
  await using gateway = await startGateway()
  const { connection } = gateway.service
  let isAway = false
  const lists = await gateway.play(listSigningKeys.subject, () =>
    isAway ? { status: 503, name: 'ServiceUnavailable', body: '{"error":"ServiceUnavailable","detail":"Away."}' } : keys,
  )
  const find = createKeySet(connection, { maxAgeMs: -1, retryMs: -1 })
  const header = { alg: 'ES256', kid: 'current' }
  const lookup = [header, { payload: '', signature: '' }] as const
  await find(...lookup)
  await find(...lookup)
  expect(lists).toHaveLength(2)
  isAway = true
  await expect(find(...lookup)).resolves.toBeDefined()
  expect(lists).toHaveLength(3)
  await expect(find({ ...header, kid: 'unknown' }, lookup[1])).rejects.toThrow('Away.')
})
