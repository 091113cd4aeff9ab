import { hash, randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import { listSigningKeys, verifyGrant } from '@quittance/contracts/auth'
import { mintToken } from '@quittance/runtime/credential'
import { organizationCaller } from '@quittance/testing/callers'
import { calculateJwkThumbprint, exportJWK, generateKeyPair, SignJWT, type JWK } from 'jose'
import { expect, test } from 'vitest'
import { createIssuer } from './jwt-issuer.ts'
import { baseUrl, bearer, gatewayPort, startGateway, verification, verifiedAs } from './start-gateway.ts'

const seller = organizationCaller(randomUUID())

/** A client's key and proofs made with it. */
async function createHolder(alg = 'ES256') {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true })
  const jwk = await exportJWK(publicKey)
  return {
    jwk,
    privateJwk: await exportJWK(privateKey),
    jkt: await calculateJwkThumbprint(jwk),
    /** Creates a valid proof for listing orders, except for the changes. */
    prove(token: string, { claims, header }: { claims?: Record<string, unknown>; header?: Record<string, unknown> } = {}) {
      const good = {
        jti: randomUUID(),
        htm: 'GET',
        htu: `${baseUrl}/v1/orders/`,
        iat: Math.floor(Date.now() / 1000),
        ath: hash('sha256', token, 'base64url'),
      }
      const protectedHeader = { alg, typ: 'dpop+jwt', jwk: jwk as JWK, ...header }
      return new SignJWT({ ...good, ...claims }).setProtectedHeader(protectedHeader as never).sign(privateKey)
    },
  }
}

const holder = await createHolder()
const other = await createHolder()

async function startWithBoundToken(jkt = holder.jkt) {
  const gateway = await startGateway()
  const token = mintToken('qt_at_')
  await gateway.play(verification, verifiedAs(seller, { jkt }))
  const calls = await gateway.play('orders.order.list', '{}')
  const use = (proof: string | null, path = '/v1/orders/') =>
    gateway.fetch(path, { headers: { authorization: `DPoP ${token}`, ...(proof && { dpop: proof }) } })
  return { gateway, token, calls, use, [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose]() }
}

test.each(['ES256', 'RS256', 'EdDSA', 'Ed25519'])('accepts a key-bound token with a proof signed with %s', async (alg) => {
  const own = await createHolder(alg)
  await using system = await startWithBoundToken(own.jkt)
  expect((await system.use(await own.prove(system.token))).status).toBe(200)
  expect((await system.use(await own.prove(system.token), '/v1/orders/?limit=5&page=2')).status).toBe(200)
  expect(system.calls).toHaveLength(2)
})

test('compares the URI of a proof after normalization, without query and fragment', async () => {
  await using system = await startWithBoundToken()
  for (const htu of ['HTTPS://API.quittance.test:443/v1/orders/', `${baseUrl}/v1/%6Frders/?page=2#top`, `${baseUrl}/v1/./x/../orders/`]) {
    expect((await system.use(await holder.prove(system.token, { claims: { htu } }))).status).toBe(200)
  }
})

const now = () => Math.floor(Date.now() / 1000)

test.each<[string, (token: string) => Promise<string | null>]>([
  ['missing', async () => null],
  ['not a JWT', async () => 'rubbish'],
  ['of another type', (token) => holder.prove(token, { header: { typ: 'JWT' } })],
  ['without its key', (token) => holder.prove(token, { header: { jwk: undefined } })],
  ['containing the private key', (token) => holder.prove(token, { header: { jwk: holder.privateJwk } })],
  ['signed with another key than it contains', (token) => holder.prove(token, { header: { jwk: other.jwk } })],
  ['signed with another key than the token is bound to', (token) => other.prove(token)],
  ['signed with an unsupported algorithm', async (token) => (await createHolder('ES384')).prove(token)],
  ['for another method', (token) => holder.prove(token, { claims: { htm: 'POST' } })],
  ['for another path', (token) => holder.prove(token, { claims: { htu: `${baseUrl}/v1/orders` } })],
  ['for another host', (token) => holder.prove(token, { claims: { htu: 'https://evil.test/v1/orders/' } })],
  ['without a full URI', (token) => holder.prove(token, { claims: { htu: '/v1/orders/' } })],
  ['older than a minute', (token) => holder.prove(token, { claims: { iat: now() - 62 } })],
  ['from the future', (token) => holder.prove(token, { claims: { iat: now() + 8 } })],
  ['without a time', (token) => holder.prove(token, { claims: { iat: undefined } })],
  ['without an identifier', (token) => holder.prove(token, { claims: { jti: undefined } })],
  ['for another access token', (token) => holder.prove(token, { claims: { ath: hash('sha256', 'other', 'base64url') } })],
  ['without an access token hash', (token) => holder.prove(token, { claims: { ath: undefined } })],
])('returns 401 invalid_dpop_proof for a proof %s', async (_name, make) => {
  await using system = await startWithBoundToken()
  const response = await system.use(await make(system.token))
  expect(response.status).toBe(401)
  expect(await response.json()).toMatchObject({ error: 'invalid_dpop_proof', detail: expect.any(String) })
  expect(response.headers.get('www-authenticate')).toMatch(/DPoP error="invalid_dpop_proof", .*algs="ES256 RS256 EdDSA Ed25519"/)
  expect(system.calls).toEqual([])
})

test('accepts a proof once, also one that is almost a minute old or slightly ahead', async () => {
  await using system = await startWithBoundToken()
  const proof = await holder.prove(system.token, { claims: { iat: now() - 55 } })
  expect((await system.use(proof)).status).toBe(200)
  expect(await (await system.use(proof)).json()).toMatchObject({ error: 'invalid_dpop_proof' })
  expect((await system.use(await holder.prove(system.token, { claims: { iat: now() + 4 } }))).status).toBe(200)
})

test('accepts a rejected proof later at its own target', async () => {
  await using system = await startWithBoundToken()
  const proof = await holder.prove(system.token)
  expect((await system.use(proof, '/v1/orders')).status).toBe(401)
  expect((await system.use(proof)).status).toBe(200)
})

test('rejects two proofs in one request', async () => {
  await using system = await startWithBoundToken()
  const proofs = [await holder.prove(system.token), await holder.prove(system.token)]
  const lines = ['GET /v1/orders/ HTTP/1.1', 'host: x', 'connection: close', `authorization: DPoP ${system.token}`]
  const socket = connect(gatewayPort, '127.0.0.1')
  socket.write([...lines, ...proofs.map((proof) => `dpop: ${proof}`), '', ''].join('\r\n'))
  let answer = ''
  for await (const chunk of socket) answer += String(chunk)
  expect(answer).toMatch(/^HTTP\/1.1 401 /)
  expect(answer).toContain('exactly one DPoP proof')
})

test('rejects a key-bound token as a bearer token', async () => {
  await using system = await startWithBoundToken()
  const headers = { ...bearer(system.token), dpop: await holder.prove(system.token) }
  const response = await system.gateway.fetch('/v1/orders/', { headers })
  expect(response.status).toBe(401)
  expect(await response.json()).toMatchObject({ error: 'invalid_token' })
})

test('rejects a bearer token with the DPoP scheme', async () => {
  await using gateway = await startGateway()
  await gateway.play(verification, verifiedAs(seller))
  const token = mintToken('qt_at_')
  const response = await gateway.fetch('/v1/orders/', { headers: { authorization: `DPoP ${token}`, dpop: await holder.prove(token) } })
  expect(response.status).toBe(401)
  expect(await response.json()).toMatchObject({ error: 'invalid_token' })
})

test('binds a JWT by its confirmation claim', async () => {
  await using gateway = await startGateway()
  const issuer = await createIssuer('current')
  await gateway.play(listSigningKeys.subject, JSON.stringify({ keys: [issuer.jwk] }))
  await gateway.play(verifyGrant.subject, JSON.stringify({ caller: seller }))
  await gateway.play('orders.order.list', '{}')
  const token = await issuer.sign({ claims: { cnf: { jkt: holder.jkt } } })
  const use = async (headers: Record<string, string>) => (await gateway.fetch('/v1/orders/', { headers })).status
  expect(await use({ authorization: `DPoP ${token}`, dpop: await holder.prove(token) })).toBe(200)
  expect(await use({ authorization: `DPoP ${token}`, dpop: await other.prove(token) })).toBe(401)
  expect(await use(bearer(token))).toBe(401)
})
