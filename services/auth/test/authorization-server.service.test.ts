import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import {
  authentication,
  authorizationUrl,
  readAuthorizationCode,
  completeInteraction,
  postForm,
  exchangeCode,
  refresh,
} from '@quittance/testing/oauth-client'
import type { RuntimeConfig } from '@quittance/runtime/config'
import { startService } from '@quittance/runtime/service'
import { eventually } from '@quittance/testing/eventually'
import { verifyGrant, verifyToken, rotateSigningKeys, tokenRevoked, listSigningKeys } from '@quittance/contracts/auth'
import { hashToken } from '@quittance/runtime/credential'
import { expect, test } from 'vitest'
import { config } from '../src/config.ts'
import { startAuthorizationServer } from './start-authorization-server.ts'
import { auth } from '../src/service.ts'

const anonymous = { kind: 'anonymous' } as const
const operator = { kind: 'operator' } as const

test('names the registration endpoint unless only the operator registers clients', async () => {
  await using server = await startAuthorizationServer()
  const read = async () => (await fetch(`${server.origin}/.well-known/oauth-authorization-server`)).json()
  expect(await read()).toMatchObject({ registration_endpoint: 'http://127.0.0.1:8080/v1/oauth2/register' })
  // The service under test runs in this process, and reads the environment again when the next test starts it.
  config().CLIENT_REGISTRATION = 'off'
  expect(await read()).not.toHaveProperty('registration_endpoint')
})

test('consent for an organization issues tokens that act for that organization only', async () => {
  await using server = await startAuthorizationServer()
  const tokens = await server.authorize()
  expect(tokens).toMatchObject({ token_type: 'Bearer', expires_in: 3600, scope: server.scope })
  expect(tokens.access_token).toMatch(/^qt_at_/)
  expect(tokens.refresh_token).toMatch(/^qt_rt_/)
  const verified = await server.service.call(verifyToken, { hash: hashToken(tokens.access_token) }, anonymous)
  expect(verified).toMatchObject({
    caller: {
      kind: 'organization',
      organization_id: server.organization.id,
      user_id: server.person.id,
      client_id: server.client.client_id,
    },
    scopes: ['openid', 'email', 'orders:read'],
  })
})

test.each(['offline_access', 'address', 'phone'])(
  '%s is invalid_scope; refresh tokens are issued without offline_access',
  async (scope) => {
    await using server = await startAuthorizationServer()
    const browser = server.newBrowser()
    const { client_id, redirect_uri } = server.client
    const parameters = { client_id, redirect_uri, sub_type: 'user', scope: `openid ${scope}` }
    const { url } = await browser.get(authorizationUrl(server.origin, parameters))
    expect([url.origin, url.searchParams.get('error')]).toEqual(['https://app.example.com', 'invalid_scope'])
    expect((await server.authorize({ browser, parameters: { sub_type: 'user', scope: 'openid' } })).refresh_token).toMatch(/^qt_rt_/)
  },
)

test('the database contains no code, token or session id in clear text', async () => {
  await using server = await startAuthorizationServer()
  const browser = server.newBrowser()
  const tokens = await server.authorize({ browser })
  const tables = ['authorization_codes', 'refresh_tokens', 'oauth_access_tokens', 'grants', 'sessions', 'short_lived_records']
  const session = browser.cookies().find(({ name }) => name === 'qt_session')?.value ?? 'none'
  for (const table of tables) {
    const stored = JSON.stringify(await server.service.rows(`select * from ${table}`))
    for (const secret of [tokens.access_token, tokens.refresh_token, session]) expect(stored).not.toContain(secret)
  }
})

test('exactly one of many exchanges of one refresh token at two replicas succeeds', async () => {
  await using server = await startAuthorizationServer()
  await using second = await startReplica(server.service.config)
  const origins = [server.origin, second.origin]
  const browser = server.newBrowser()
  for (let round = 0; round < 20; round++) {
    const { refresh_token: token } = await server.authorize({ browser, parameters: { sub_type: 'user' } })
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) => refresh(origins[index % 2] as string, { client: server.client, token })),
    )
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, ...Array.from({ length: 11 }, () => 400)])
  }
})

test('exactly one of many exchanges of one code at two replicas succeeds', async () => {
  await using server = await startAuthorizationServer()
  await using second = await startReplica(server.service.config)
  const origins = [server.origin, second.origin]
  const browser = server.newBrowser()
  for (let round = 0; round < 20; round++) {
    const parameters = {
      client_id: server.client.client_id,
      redirect_uri: server.client.redirect_uri,
      scope: server.scope,
      sub_type: 'user',
    }
    const first = await browser.get(authorizationUrl(server.origin, parameters))
    const code = readAuthorizationCode(await completeInteraction(browser, first, { person: server.person, answer: { action: 'allow' } }))
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) => exchangeCode(origins[index % 2] as string, { client: server.client, code })),
    )
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, ...Array.from({ length: 11 }, () => 400)])
  }
})

test('reusing a refresh token ends its family and publishes the revocation', async () => {
  await using server = await startAuthorizationServer()
  const first = await server.authorize()
  const second = await refresh(server.origin, { client: server.client, token: first.refresh_token })
  expect(second.status).toBe(200)
  await server.service.rows(`update refresh_tokens set consumed_at = consumed_at - interval '31 seconds' where consumed_at is not null`)
  const again = await refresh(server.origin, { client: server.client, token: first.refresh_token })
  expect(again).toMatchObject({ status: 400, body: { error: 'invalid_grant', detail: expect.any(String) } })
  const newest = await refresh(server.origin, { client: server.client, token: second.body.refresh_token })
  expect(newest).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  expect(await server.service.nextEvent(tokenRevoked)).toMatchObject({ user_id: server.person.id })
  expect(await server.service.nextEvent(tokenRevoked)).toMatchObject({ grant_id: expect.any(String) })
  const userinfo = await fetch(`${server.origin}/v1/oauth2/userinfo`, { headers: { authorization: `Bearer ${second.body.access_token}` } })
  expect(userinfo.status).toBe(401)
})

test('a refresh token works again after an error between its use and the issuing', async () => {
  await using server = await startAuthorizationServer()
  const { refresh_token: token } = await server.authorize()
  await server.service.rows('alter table oauth_access_tokens rename to gone')
  const failed = await refresh(server.origin, { client: server.client, token })
  expect(failed).toMatchObject({ status: 500, body: { error: 'server_error' } })
  expect(JSON.stringify(failed.body)).not.toMatch(/gone|oauth_access|relation/)
  await server.service.rows('alter table gone rename to oauth_access_tokens')
  expect(await refresh(server.origin, { client: server.client, token })).toMatchObject({ status: 200 })
})

test('an unsuccessful reply consumes nothing', async () => {
  await using server = await startAuthorizationServer()
  const { refresh_token: token } = await server.authorize()
  const fields = { grant_type: 'refresh_token', refresh_token: token, ...authentication(server.client) }
  const url = `${server.origin}/v1/oauth2/token`
  expect(await postForm(url, { ...fields, scope: 'openid products:read' })).toMatchObject({ status: 400, body: { error: 'invalid_scope' } })
  expect(await postForm(url, { ...fields, resource: 'https://other.example' })).toMatchObject({
    status: 400,
    body: { error: 'invalid_target' },
  })
  expect(await postForm(url, fields)).toMatchObject({ status: 200 })
})

test.each(['/v1/oauth2/userinfo', '/v1/oauth2/token', '/v1/oauth2/introspect'])(
  'rejects two credentials in one request, in any order: %s (RFC 6749 §2.3, RFC 6750 §2)',
  async (path) => {
    await using server = await startAuthorizationServer()
    const { access_token } = await server.authorize()
    const ask = async (fields: Record<string, string | string[]>, query = '') => {
      const method = path.endsWith('userinfo') ? 'GET' : 'POST'
      const request = httpRequest(`${server.origin}${path}${query}`, { method, headers: fields })
      request.end()
      const [response] = (await once(request, 'response')) as [IncomingMessage]
      return { status: response.statusCode, text: await text(response) }
    }
    const good = `Bearer ${access_token}`
    for (const lines of [
      [good, 'Basic x'],
      ['Basic x', good],
    ]) {
      const { status, text: body } = await ask({ authorization: lines })
      expect(status).toBe(400)
      expect(JSON.parse(body)).toMatchObject({ error: 'invalid_request', detail: expect.any(String) })
    }
    expect((await ask({ authorization: good }, `?access_token=${access_token}`)).status).toBe(400)
  },
)

test.each(['/.well-known/openid-configuration', '/.well-known/jwks.json', '/v1/oauth2/userinfo', '/oauth2/authorize', '/oauth2/account'])(
  'HEAD %s gets the status and the headers of GET, without a body (RFC 9110 §9.3.2)',
  async (path) => {
    await using server = await startAuthorizationServer()
    const { access_token } = await server.authorize()
    const ask = (method: string) => fetch(`${server.origin}${path}`, { method, headers: { authorization: `Bearer ${access_token}` } })
    const [head, get] = [await ask('HEAD'), await ask('GET')]
    for (const name of ['content-type', 'content-length', 'cache-control', 'content-security-policy'])
      expect([name, head.headers.get(name)]).toEqual([name, get.headers.get(name)])
    expect([head.status, await head.text()]).toEqual([get.status, ''])
  },
)

test('userinfo without a token names the metadata of the resource in every challenge (RFC 9728 §5.1)', async () => {
  await using server = await startAuthorizationServer()
  const { status, headers } = await fetch(`${server.origin}/v1/oauth2/userinfo`)
  const metadata = 'resource_metadata="http://127.0.0.1:8080/.well-known/oauth-protected-resource"'
  const realm = 'realm="http://127.0.0.1:8080"'
  expect(status).toBe(401)
  expect(headers.get('www-authenticate')).toBe(`Bearer ${realm}, ${metadata}, DPoP ${realm}, algs="ES256 RS256 EdDSA Ed25519", ${metadata}`)
})

test('rejects everything issued for an organization after the user has left it', async () => {
  await using server = await startAuthorizationServer()
  const tokens = await server.authorize()
  await server.service.rows('delete from members')
  await expect(server.service.call(verifyToken, { hash: hashToken(tokens.access_token) }, anonymous)).rejects.toThrow()
  const userinfo = await fetch(`${server.origin}/v1/oauth2/userinfo`, { headers: { authorization: `Bearer ${tokens.access_token}` } })
  expect(userinfo.status).toBe(401)
  const refreshed = await refresh(server.origin, { client: server.client, token: tokens.refresh_token })
  expect(refreshed).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
})

test('keys rotate without a restart; old signatures stay valid, new keys are published before', async () => {
  await using server = await startAuthorizationServer()
  const before = await server.authorize()
  const kids = await publishedKids()
  expect(kids).toHaveLength(4)
  await expect(server.service.call(rotateSigningKeys, {}, operator)).rejects.toThrow(/younger/)
  await server.service.call(rotateSigningKeys, { force: true }, operator)
  const after = await eventually(async () => {
    const tokens = await server.authorize()
    expect(readKid(tokens.id_token)).not.toBe(readKid(before.id_token))
    return tokens
  })
  expect(kids).toContain(readKid(after.id_token))
  expect(await publishedKids()).toEqual(expect.arrayContaining([...kids, readKid(before.id_token)]))
  expect(await refresh(server.origin, { client: server.client, token: before.refresh_token })).toMatchObject({ status: 200 })
  const { keys } = await server.service.call(listSigningKeys, {}, anonymous)
  expect(keys).toHaveLength(6)
  expect(JSON.stringify(keys)).not.toMatch(/"(d|p|q|dp|dq|qi)":/)

  async function publishedKids(): Promise<string[]> {
    const { keys: published } = (await (await fetch(`${server.origin}/.well-known/jwks.json`)).json()) as { keys: { kid: string }[] }
    return published.map(({ kid }) => kid)
  }
})

test('a JWT access token is requested by resource, and its grant determines its validity', async () => {
  await using server = await startAuthorizationServer()
  const tokens = await server.authorize({ parameters: { resource: 'http://127.0.0.1:8080' } })
  const fields = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token, resource: 'http://127.0.0.1:8080' }
  const { status, body } = await postForm(`${server.origin}/v1/oauth2/token`, { ...fields, ...authentication(server.client) })
  expect(status).toBe(200)
  const [header, payload] = (body.access_token as string)
    .split('.')
    .slice(0, 2)
    .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()))
  expect(header).toMatchObject({ typ: 'at+jwt', alg: 'ES256' })
  expect(payload).toMatchObject({
    iss: 'http://127.0.0.1:8080',
    aud: 'http://127.0.0.1:8080',
    sub: server.person.id,
    organization_id: server.organization.id,
    scope: 'email orders:read',
  })
  const parameters = { grant_id: payload.grant_id, token_id: payload.jti }
  const { caller } = await server.service.call(verifyGrant, parameters, anonymous)
  expect(caller).toMatchObject({ kind: 'organization', organization_id: server.organization.id })
  await postForm(`${server.origin}/v1/oauth2/revoke`, { token: body.refresh_token, ...authentication(server.client) })
  await expect(server.service.call(verifyGrant, parameters, anonymous)).rejects.toThrow()
})

function readKid(jwt: string): string {
  return JSON.parse(Buffer.from(jwt.split('.')[0] as string, 'base64url').toString()).kid
}

/** Starts what amounts to a second process of the service: separate pool, provider and port. */
async function startReplica(config: Partial<RuntimeConfig>) {
  const running = await startService(auth, { config })
  return { origin: `http://127.0.0.1:${running.healthPort}`, [Symbol.asyncDispose]: () => running.stop() }
}
