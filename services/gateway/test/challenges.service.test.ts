import { randomUUID } from 'node:crypto'
import { publicOperations } from '@quittance/contracts/registry'
import { scopes } from '@quittance/contracts/scopes'
import { hashToken, mintToken } from '@quittance/runtime/credential'
import { organizationCaller, userCaller } from '@quittance/testing/callers'
import { expect, test } from 'vitest'
import { baseUrl, bearer, invalidCredentialReply, startGateway, verification, verifiedAs } from './start-gateway.ts'

const metadata = `resource_metadata="${baseUrl}/.well-known/oauth-protected-resource"`
const seller = organizationCaller(randomUUID())

test('names no error in the challenge if there is no credential', async () => {
  await using gateway = await startGateway()
  const response = await gateway.fetch('/v1/orders/')
  expect(response.status).toBe(401)
  expect(response.headers.get('www-authenticate')).toBe(`Bearer realm="quittance", ${metadata}`)
})

test('challenges an invalid credential with invalid_token', async () => {
  await using gateway = await startGateway()
  await gateway.play(verification, invalidCredentialReply)
  const response = await gateway.fetch('/v1/orders/', { headers: bearer(mintToken('qt_at_')) })
  expect(response.headers.get('www-authenticate')).toMatch(/^Bearer realm="quittance", error="invalid_token", error_description="[^"]+", /)
  expect(response.headers.get('www-authenticate')).toContain(metadata)
})

test('returns 403 insufficient_scope with the sufficient scopes if the scope is missing [15]', async () => {
  await using gateway = await startGateway()
  await gateway.play(verification, verifiedAs(seller, { scopes: ['products:read'] }))
  const response = await gateway.fetch('/v1/orders/', { headers: bearer(mintToken('qt_at_')) })
  expect(response.status).toBe(403)
  expect(response.headers.get('www-authenticate')).toMatch(/error="insufficient_scope", .*scope="orders:read"/)
  expect(await response.text()).toContain('the scope orders:read.')
})

test('rejects every scoped operation without one of its scopes', async () => {
  await using gateway = await startGateway()
  const user = userCaller({ userId: randomUUID(), organizationIds: [] })
  const answers = new Map([seller, user].map((caller) => [mintToken('qt_at_'), caller] as const))
  const byHash = new Map([...answers].map(([token, caller]) => [hashToken(token), verifiedAs(caller, { scopes: [] })]))
  await gateway.play(verification, ({ hash }: { hash: string }) => byHash.get(hash) as string)
  const challengedSubjects: string[] = []
  const scoped = publicOperations.filter(({ http }) => http.scopes.length > 0)
  for (const { http, subject } of scoped) {
    const [token] = [...answers].find(([, { kind }]) => http.callers.includes(kind)) ?? ['']
    const path = http.path.replaceAll(/{\w+}/g, randomUUID())
    const { status, headers } = await gateway.fetch(path, { method: http.method, headers: bearer(token) })
    if (status === 403 && headers.get('www-authenticate')?.includes(`scope="${http.scopes.join(' ')}"`)) challengedSubjects.push(subject)
  }
  expect(challengedSubjects).toEqual(scoped.map(({ subject }) => subject))
})

test('sends error and algorithms in a DPoP challenge, beside the Bearer one, to DPoP clients', async () => {
  await using gateway = await startGateway()
  await gateway.play(verification, invalidCredentialReply)
  const response = await gateway.fetch('/v1/orders/', { headers: { authorization: `DPoP ${mintToken('qt_at_')}` } })
  const challenges = response.headers.get('www-authenticate') ?? ''
  expect(challenges).toMatch(/^DPoP error="invalid_token", error_description="[^"]+", algs="ES256 RS256 EdDSA Ed25519", /)
  expect(challenges).toContain(`, Bearer realm="quittance", ${metadata}`)
})

test('adds a challenge to the 401 of an owner', async () => {
  await using gateway = await startGateway()
  await gateway.play('auth.client.register', { status: 401, name: 'Unauthorized', body: '{"error":"Unauthorized","detail":"Sign in."}' })
  const response = await gateway.fetch('/v1/oauth2/register', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  })
  expect(response.status).toBe(401)
  expect(response.headers.get('www-authenticate')).toBe(`Bearer realm="quittance", ${metadata}`)
})

test('serves the resource metadata with the authorization server to every web page', async () => {
  await using gateway = await startGateway()
  const response = await gateway.fetch('/.well-known/oauth-protected-resource')
  expect(response.status).toBe(200)
  expect(response.headers.get('cache-control')).toBe('public, max-age=300')
  expect(response.headers.get('access-control-allow-origin')).toBe('*')
  expect(await response.json()).toEqual({
    resource: baseUrl,
    authorization_servers: [baseUrl],
    bearer_methods_supported: ['header'],
    scopes_supported: scopes,
    resource_name: 'Quittance',
    dpop_signing_alg_values_supported: ['ES256', 'RS256', 'EdDSA', 'Ed25519'],
  })
  const preflight = await gateway.fetch('/.well-known/oauth-protected-resource', { method: 'OPTIONS' })
  expect(preflight.status).toBe(204)
  expect(preflight.headers.get('access-control-allow-headers')).toBe('*')
  const post = await gateway.fetch('/.well-known/oauth-protected-resource', { method: 'POST' })
  expect(post.status).toBe(405)
  expect(post.headers.get('allow')).toBe('GET, HEAD, OPTIONS')
})

test('describes the authorization server and the scopes of each operation in OpenAPI', async () => {
  await using gateway = await startGateway()
  const description = JSON.parse(await (await gateway.fetch('/openapi.json')).text())
  expect(description.servers).toEqual([{ url: baseUrl }])
  expect(description.components.securitySchemes.oauth2.flows.authorizationCode).toMatchObject({
    authorizationUrl: 'https://login.quittance.test/oauth2/authorize',
    tokenUrl: `${baseUrl}/v1/oauth2/token`,
    refreshUrl: `${baseUrl}/v1/oauth2/token`,
    scopes: { 'orders:read': 'Read orders and their invoices' },
  })
  expect(description.paths['/v1/orders/'].get.security).toEqual([{ bearer: ['orders:read'] }, { oauth2: ['orders:read'] }])
  // Scopes that only personal access tokens have are not offered to applications.
  const required = [{}, { bearer: ['clients:write'] }]
  expect(description.paths['/v1/oauth2/register'].post.security).toEqual(required)
})
