import { randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { scopes, type PersonalScope } from '@quittance/contracts/scopes'
import { hashToken, mintToken } from '@quittance/runtime/credential'
import { organizationCaller, userCaller } from '@quittance/testing/callers'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { bearer, gatewayPort, invalidCredentialReply, matchesCredential, startGateway, verification, verifiedAs } from './start-gateway.ts'

/** Returns the response to raw bytes; common clients never send a header twice. */
function rawAnswer(request: string): Promise<string> {
  const socket = connect(gatewayPort, '127.0.0.1')
  socket.write(request)
  return text(socket)
}

const seller = organizationCaller(randomUUID())
const user = userCaller({ userId: randomUUID(), organizationIds: [] })

test.each(['qt_at_', 'qt_pat_', 'qt_oat_'] as const)('verifies a credential of the kind %s with auth by its hash', async (kind) => {
  await using gateway = await startGateway()
  const verifications = await gateway.play(verification, verifiedAs(seller))
  await gateway.play('orders.order.list', '{}')
  const token = mintToken(kind)
  expect((await gateway.fetch('/v1/orders/', { headers: bearer(token) })).status).toBe(200)
  expect(verifications.map(({ body }) => body)).toEqual([{ hash: hashToken(token) }])
})

test('allows a registration token to manage its client and nothing else', async () => {
  await using gateway = await startGateway()
  await gateway.play(verification, verifiedAs({ kind: 'client', client_id: 'c', token_id: 'crt' }, { scopes: [] }))
  const calls = await gateway.play('auth.client.get', '{}')
  const headers = bearer(mintToken('qt_crt_'))
  expect((await gateway.fetch('/v1/oauth2/register/c', { headers })).status).toBe(200)
  expect(JSON.parse(calls[0]?.headers['caller'] ?? '')).toEqual({ kind: 'client', client_id: 'c', token_id: 'crt' })
  expect((await gateway.fetch('/v1/orders/', { headers })).status).toBe(401)
})

test('requires clients:write to change clients, and clients:read or clients:write to read them', async () => {
  await using gateway = await startGateway()
  const operations = [
    ['auth.client.register', 'POST', '/v1/oauth2/register', 201],
    ['auth.client.update', 'PUT', '/v1/oauth2/register/c', 200],
    ['auth.client.delete', 'DELETE', '/v1/oauth2/register/c', 204],
    ['auth.client.get', 'GET', '/v1/oauth2/register/c', 200],
    ['auth.client.list', 'GET', '/v1/oauth2/', 200],
  ] as const
  for (const [subject] of operations) await gateway.play(subject, '{}')
  let granted: PersonalScope[] = []
  await gateway.play(verification, () => verifiedAs(user, { scopes: granted }))
  const rounds: [PersonalScope[], string[]][] = [
    [[...scopes], []],
    [['clients:read'], ['GET']],
    [['clients:write'], ['POST', 'PUT', 'DELETE', 'GET']],
  ]
  for (const [round, opened] of rounds) {
    granted = round
    const headers = { ...bearer(mintToken('qt_pat_')), 'content-type': 'application/json' }
    for (const [, method, path, status] of operations) {
      const body = method === 'POST' || method === 'PUT' ? '{}' : null
      const answer = await gateway.fetch(path, { method, headers, body })
      expect([method, path, answer.status]).toEqual([method, path, opened.includes(method) ? status : 403])
    }
  }
})

test.each([
  ['two header lines', '/v1/orders/', ['authorization: Bearer TOKEN', 'authorization: Bearer TOKEN']],
  ['two header lines of different schemes', '/v1/orders/', ['authorization: Bearer TOKEN', 'Authorization: Basic x']],
  ['a token in the query beside the header', '/v1/orders/?limit=1&access_token=TOKEN', ['authorization: Bearer TOKEN']],
])('rejects two credentials in one request without a verification: %s (RFC 6750 §2)', async (_, path, fields) => {
  await using gateway = await startGateway()
  const verifications = await gateway.play(verification, verifiedAs(seller))
  const token = mintToken('qt_oat_')
  const reply = await rawAnswer(
    [`GET ${path} HTTP/1.1`, 'Host: gateway', 'Connection: close', ...fields, '', ''].join('\r\n').replaceAll('TOKEN', token),
  )
  expect(reply).toMatch(/^HTTP\/1.1 400 /)
  expect(reply).toMatch(/^www-authenticate: Bearer .*error="invalid_request"/im)
  expect(reply).toContain('"error":"invalid_request"')
  expect(verifications).toEqual([])
})

test('ignores a token that is only in the query', async () => {
  await using gateway = await startGateway()
  const verifications = await gateway.play(verification, verifiedAs(seller))
  expect((await gateway.fetch(`/v1/orders/?access_token=${mintToken('qt_oat_')}`)).status).toBe(401)
  expect(verifications).toEqual([])
})

test('returns the error of the RFC for a registration that is not a JSON object', async () => {
  await using gateway = await startGateway()
  for (const body of ['{', '[]', '"text"']) {
    const answer = await gateway.fetch('/v1/oauth2/register', { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({ error: 'invalid_client_metadata', error_description: expect.any(String) })
  }
})

test('rejects a malformed credential without a verification', async () => {
  await using gateway = await startGateway()
  const verifications = await gateway.play(verification, verifiedAs(seller))
  const minted = mintToken('qt_oat_')
  const wrongChecksum = minted.slice(0, -1) + (minted.endsWith('0') ? '1' : '0')
  const rubbish = [
    'a',
    'qt_oat_',
    wrongChecksum,
    `${minted}0`,
    mintToken('qt_rt_'),
    mintToken('qt_ac_'),
    mintToken('qt_cs_'),
    'a.b',
    'a.b.c.d',
  ]
  for (const token of rubbish) {
    const response = await gateway.fetch('/v1/orders/', { headers: bearer(token) })
    expect(response.status).toBe(401)
    expect(await response.json()).toMatchObject({
      error: 'invalid_token',
      error_description: expect.any(String),
      detail: expect.any(String),
    })
  }
  const basic = await gateway.fetch('/v1/orders/', { headers: { authorization: `Basic ${btoa('a:b')}` } })
  expect(await basic.json()).toMatchObject({ error: 'invalid_token' })
  expect(verifications).toEqual([])
})

test('rejects an expired credential', async () => {
  await using gateway = await startGateway()
  // Counted from the first verification, because the time before depends on the machine.
  let expires_at = ''
  const verifications = await gateway.play(verification, () => {
    expires_at ||= new Date(Date.now() + 300).toISOString()
    return Date.now() < Date.parse(expires_at) ? verifiedAs(seller, { expires_at }) : invalidCredentialReply
  })
  await gateway.play('orders.order.list', '{}')
  const headers = bearer(mintToken('qt_at_'))
  expect((await gateway.fetch('/v1/orders/', { headers })).status).toBe(200)
  await eventually(() => expect(Date.now()).toBeGreaterThan(Date.parse(expires_at) + 100))
  expect((await gateway.fetch('/v1/orders/', { headers })).status).toBe(401)
  expect(verifications).toHaveLength(2)
})

test('revokes the credentials of a grant, a client or a user, and no others', async () => {
  await using gateway = await startGateway()
  const tokens = { grant: mintToken('qt_at_'), client: mintToken('qt_at_'), user: mintToken('qt_pat_'), other: mintToken('qt_oat_') }
  const answers = new Map([
    [hashToken(tokens.grant), verifiedAs(seller, { grant_id: 'grant' })],
    [hashToken(tokens.client), verifiedAs({ ...seller, client_id: 'client' } as typeof seller)],
    [hashToken(tokens.user), verifiedAs(user)],
    [hashToken(tokens.other), verifiedAs(seller)],
  ])
  const verifications = await gateway.play(verification, ({ hash }: { hash: string }) => answers.get(hash) as string)
  await gateway.play('orders.order.list', '{}')
  const useAll = () => Promise.all(Object.values(tokens).map((token) => gateway.fetch('/v1/orders/', { headers: bearer(token) })))
  const timesAsked = () => Object.values(tokens).map((token) => verifications.filter(matchesCredential(token)).length)
  await useAll()
  await useAll()
  expect(timesAsked()).toEqual([1, 1, 1, 1])
  gateway.revoke({ grant_id: 'grant' })
  gateway.revoke({ client_id: 'client' })
  gateway.revoke({ user_id: 'user_id' in user ? user.user_id : null })
  await eventually(async () => {
    await useAll()
    expect(timesAsked()).toEqual([2, 2, 2, 1])
  })
})

test.each(['hash', 'grant', 'client', 'user'])('repeats a verification if its %s is revoked while it is in progress', async (what) => {
  await using gateway = await startGateway()
  const token = mintToken('qt_at_')
  const caller = { ...user, client_id: 'client' } as typeof user
  const revocation = {
    hash: { token_hash: hashToken(token) },
    grant: { grant_id: 'grant' },
    client: { client_id: 'client' },
    user: { user_id: 'user_id' in user ? user.user_id : null },
  }[what] as object
  const pendingReply = Promise.withResolvers<string>()
  const verifications = await gateway.play(verification, (_body, count) => (count === 1 ? pendingReply.promise : invalidCredentialReply))
  const response = gateway.fetch('/v1/orders/', { headers: bearer(token) })
  await eventually(() => expect(verifications).toHaveLength(1))
  gateway.revoke(revocation)
  // The reply of auth arrives at the gateway after the revocation.
  await gateway.service.connection.flush()
  pendingReply.resolve(verifiedAs(caller, { grant_id: 'grant' }))
  expect((await response).status).toBe(401)
  expect(verifications).toHaveLength(2)
})

test('treats a missing optional credential as anonymous and verifies one that is sent', async () => {
  await using gateway = await startGateway()
  await gateway.play(verification, verifiedAs(user))
  const calls = await gateway.play('auth.client.register', '{}')
  const register = (headers: Record<string, string>) =>
    gateway.fetch('/v1/oauth2/register', { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: '{}' })
  expect((await register({})).status).toBe(201)
  expect((await register(bearer(mintToken('qt_pat_')))).status).toBe(201)
  expect(calls.map(({ headers }) => JSON.parse(headers['caller'] ?? '').kind)).toEqual(['anonymous', 'user'])
  expect((await register(bearer('rubbish'))).status).toBe(401)
  expect((await register({ authorization: 'Basic x' })).status).toBe(401)
  expect(calls).toHaveLength(2)
})

test('ignores a credential if the operation requires none', async () => {
  await using gateway = await startGateway()
  const calls = await gateway.play('orders.checkout.get-by-client', '{}')
  const response = await gateway.fetch('/v1/checkouts/client/secret', { headers: bearer('rubbish') })
  expect(response.status).toBe(200)
  expect(JSON.parse(calls[0]?.headers['caller'] ?? '')).toEqual({ kind: 'anonymous' })
})

test('returns 503, not 401, while auth is unavailable', async () => {
  await using gateway = await startGateway()
  const response = await gateway.fetch('/v1/orders/', { headers: bearer(mintToken('qt_at_')) })
  expect(response.status).toBe(503)
  expect(response.headers.get('retry-after')).toBe('1')
  expect(response.headers.get('www-authenticate')).toBeNull()
})

test('shows a user’s own change in the very next request, before any event arrives', async () => {
  await using gateway = await startGateway()
  const verifications = await gateway.play(verification, verifiedAs(user))
  await gateway.play('auth.organization.create', '{}')
  await gateway.play('auth.organization.list', '{}')
  const token = mintToken('qt_pat_')
  const create = { method: 'POST', body: '{}', headers: { ...bearer(token), 'content-type': 'application/json' } }
  expect((await gateway.fetch('/v1/organizations/', { headers: bearer(token) })).status).toBe(200)
  expect((await gateway.fetch('/v1/organizations/', create)).status).toBe(201)
  expect((await gateway.fetch('/v1/organizations/', { headers: bearer(token) })).status).toBe(200)
  expect(verifications).toHaveLength(2)
})
