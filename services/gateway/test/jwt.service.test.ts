import { createHmac, randomUUID } from 'node:crypto'
import { listSigningKeys, verifyGrant } from '@quittance/contracts/auth'
import { organizationCaller } from '@quittance/testing/callers'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { createKeyRing } from '../src/access/signing-keys.ts'
import { createIssuer } from './jwt-issuer.ts'
import { authUrl, baseUrl, bearer, notValid, startGateway, verification } from './start-gateway.ts'

const issuer = await createIssuer('current')
const rsa = await createIssuer('rsa', 'RS256')
const keys = JSON.stringify({ keys: [issuer.jwk, rsa.jwk] })
const seller = organizationCaller(randomUUID())
const standing = JSON.stringify({ caller: { ...seller, client_id: 'client' } })

async function startWithKeys() {
  const gateway = await startGateway()
  return {
    gateway,
    keyLists: await gateway.play(listSigningKeys.subject, keys),
    verifications: await gateway.play(verification, notValid),
    orders: await gateway.play('orders.order.list', '{}'),
    use: (token: string) => gateway.fetch('/v1/orders/', { headers: bearer(token) }),
    [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose](),
  }
}

test('a JWT is verified here and its grant by auth, once in ten seconds; the keys are asked for once', async () => {
  await using system = await startWithKeys()
  const grants = await system.gateway.play(verifyGrant.subject, standing)
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

test('a JWT may what its scope says and nothing else', async () => {
  await using system = await startWithKeys()
  await system.gateway.play(verifyGrant.subject, standing)
  expect((await system.use(await issuer.sign({ claims: { scope: 'products:read' } }))).status).toBe(403)
  expect((await system.use(await issuer.sign({ claims: { scope: undefined } }))).status).toBe(403)
})

const now = Math.floor(Date.now() / 1000)
const withClaims = (claims: Record<string, unknown>) => () => issuer.sign({ claims })
const publicKeyAsSecret = Buffer.from(JSON.stringify(issuer.jwk))
const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const payloadOf = (token: string) => token.split('.')[1] as string

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
  ['the key of somebody else', async () => issuer.sign({ key: (await createIssuer('current')).privateKey })],
  ['an unknown key', async () => (await createIssuer('unknown')).sign()],
  ['the algorithm none', async () => `${part({ alg: 'none', typ: 'at+jwt' })}.${payloadOf(await issuer.sign())}.${part('x')}`],
  ['no signature', async () => `${part({ alg: 'none', typ: 'at+jwt' })}.${payloadOf(await issuer.sign())}.`],
  [
    'an HS256 signature made with the public key',
    async () => {
      const signed = `${part({ alg: 'HS256', typ: 'at+jwt', kid: 'current' })}.${payloadOf(await issuer.sign())}`
      return `${signed}.${createHmac('sha256', publicKeyAsSecret).update(signed).digest('base64url')}`
    },
  ],
  [
    'a changed payload',
    async () => (await issuer.sign()).replace(/\.[^.]+\./, `.${payloadOf(await issuer.sign({ claims: { sub: 'x' } }))}.`),
  ],
  ['parts that are not JSON', async () => 'aaaa.bbbb.cccc'],
])('a JWT with %s is invalid_token, and no question about a grant', async (_name, make) => {
  await using system = await startWithKeys()
  const grants = await system.gateway.play(verifyGrant.subject, standing)
  const response = await system.use(await make())
  expect(response.status).toBe(401)
  expect(await response.json()).toMatchObject({ error: 'invalid_token' })
  expect(grants).toEqual([])
  expect(system.verifications).toEqual([])
})

test('a JWT whose grant does not stand any more is invalid_token', async () => {
  await using system = await startWithKeys()
  await system.gateway.play(verifyGrant.subject, notValid)
  expect((await system.use(await issuer.sign())).status).toBe(401)
})

test.each([{ grant_id: 'grant' }, { client_id: 'client' }])('%o revoked: the JWT is asked about again', async (revoked) => {
  await using system = await startWithKeys()
  const grants = await system.gateway.play(verifyGrant.subject, (_body, count) => (count === 1 ? standing : notValid))
  const token = await issuer.sign()
  expect((await system.use(token)).status).toBe(200)
  system.gateway.revoke(revoked)
  await eventually(async () => expect((await system.use(token)).status).toBe(401))
  expect(grants).toHaveLength(2)
})

test('a JWT is not believed after its expiry', async () => {
  await using system = await startWithKeys()
  await system.gateway.play(verifyGrant.subject, standing)
  const exp = Math.floor(Date.now() / 1000) + 5
  const token = await issuer.sign({ claims: { exp } })
  expect((await system.use(token)).status).toBe(200)
  await eventually(() => expect(Date.now()).toBeGreaterThan(exp * 1000 + 100))
  expect((await system.use(token)).status).toBe(401)
})

test('auth that is away is 503: before the keys are known, and when the grant is to be verified', async () => {
  await using gateway = await startGateway()
  const use = async () => (await gateway.fetch('/v1/orders/', { headers: bearer(await issuer.sign()) })).status
  expect(await use()).toBe(503)
  await gateway.play(listSigningKeys.subject, keys)
  expect(await use()).toBe(503)
})

test('a key that is not known is asked for, and then not again for a while', async () => {
  await using gateway = await startGateway()
  const fresh = await createIssuer('fresh')
  const lists = await gateway.play(listSigningKeys.subject, (_body, count) =>
    count === 1 ? keys : JSON.stringify({ keys: [issuer.jwk, fresh.jwk] }),
  )
  await gateway.play(verifyGrant.subject, standing)
  await gateway.play('orders.order.list', '{}')
  const use = async (token: string) => (await gateway.fetch('/v1/orders/', { headers: bearer(token) })).status
  expect(await use(await issuer.sign())).toBe(200)
  expect(await use(await fresh.sign())).toBe(200)
  expect(lists).toHaveLength(2)
  expect(await use(await (await createIssuer('never')).sign())).toBe(401)
  expect(lists).toHaveLength(2)
})

test('keys are asked for again when they are old, and stay good while auth is away', async () => {
  await using gateway = await startGateway()
  const { connection } = gateway.service
  let isAway = false
  const lists = await gateway.play(listSigningKeys.subject, () =>
    isAway ? { status: 503, name: 'ServiceUnavailable', body: '{"error":"ServiceUnavailable","detail":"Away."}' } : keys,
  )
  const find = createKeyRing(connection, { maxAgeMs: -1, retryMs: -1 })
  const header = { alg: 'ES256', kid: 'current' }
  const asked = [header, { payload: '', signature: '' }] as const
  await find(...asked)
  await find(...asked)
  expect(lists).toHaveLength(2)
  isAway = true
  await expect(find(...asked)).resolves.toBeDefined()
  expect(lists).toHaveLength(3)
  await expect(find({ ...header, kid: 'unknown' }, asked[1])).rejects.toThrow('Away.')
})
