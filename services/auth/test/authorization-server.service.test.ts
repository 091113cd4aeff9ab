import { authentication, authorizationUrl, codeOf, passPages, postForm, redeem, refresh } from '@quittance/testing/oauth-client'
import type { RuntimeConfig } from '@quittance/runtime/config'
import { startService } from '@quittance/runtime/service'
import { eventually } from '@quittance/testing/eventually'
import { verifyGrant, verifyToken, rotateSigningKeys, tokenRevoked, listSigningKeys } from '@quittance/contracts/auth'
import { hashToken } from '@quittance/runtime/credential'
import { expect, test } from 'vitest'
import { startAuthorizationServer } from './start-authorization-server.ts'
import { auth } from '../src/service.ts'

const anonymous = { kind: 'anonymous' } as const
const operator = { kind: 'operator' } as const

test('consent for an organization ends in tokens that act for that organization and no other', async () => {
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

test('no code, token or session id is in the database in clear', async () => {
  await using server = await startAuthorizationServer()
  const browser = server.newBrowser()
  const tokens = await server.authorize({ browser })
  const tables = ['authorization_codes', 'refresh_tokens', 'oauth_access_tokens', 'grants', 'sessions', 'short_lived_records']
  const session = browser.cookies().find(({ name }) => name === 'qt_session')?.value ?? 'none'
  for (const table of tables) {
    const kept = JSON.stringify(await server.service.rows(`select * from ${table}`))
    for (const secret of [tokens.access_token, tokens.refresh_token, session]) expect(kept).not.toContain(secret)
  }
})

test('of many exchanges of one refresh token at two replicas exactly one wins', async () => {
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

test('of many exchanges of one code at two replicas exactly one wins', async () => {
  await using server = await startAuthorizationServer()
  await using second = await startReplica(server.service.config)
  const origins = [server.origin, second.origin]
  const browser = server.newBrowser()
  for (let round = 0; round < 20; round++) {
    const asked = { client_id: server.client.client_id, redirect_uri: server.client.redirect_uri, scope: server.scope, sub_type: 'user' }
    const first = await browser.get(authorizationUrl(server.origin, asked))
    const code = codeOf(await passPages(browser, first, { person: server.person, answer: { action: 'allow' } }))
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) => redeem(origins[index % 2] as string, { client: server.client, code })),
    )
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, ...Array.from({ length: 11 }, () => 400)])
  }
})

test('a refresh token used again after its first use ends the family, and every gateway is told', async () => {
  await using server = await startAuthorizationServer()
  const first = await server.authorize()
  const second = await refresh(server.origin, { client: server.client, token: first.refresh_token })
  expect(second.status).toBe(200)
  const again = await refresh(server.origin, { client: server.client, token: first.refresh_token })
  expect(again).toMatchObject({ status: 400, body: { error: 'invalid_grant', detail: expect.any(String) } })
  const newest = await refresh(server.origin, { client: server.client, token: second.body.refresh_token })
  expect(newest).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  expect(await server.service.nextEvent(tokenRevoked)).toMatchObject({ user_id: server.person.id })
  expect(await server.service.nextEvent(tokenRevoked)).toMatchObject({ grant_id: expect.any(String) })
  const userinfo = await fetch(`${server.origin}/v1/oauth2/userinfo`, { headers: { authorization: `Bearer ${second.body.access_token}` } })
  expect(userinfo.status).toBe(401)
})

test('after a fault between using up and issuing, the same refresh token works', async () => {
  await using server = await startAuthorizationServer()
  const { refresh_token: token } = await server.authorize()
  await server.service.rows('alter table oauth_access_tokens rename to gone')
  const failed = await refresh(server.origin, { client: server.client, token })
  expect(failed).toMatchObject({ status: 500, body: { error: 'server_error' } })
  expect(JSON.stringify(failed.body)).not.toMatch(/gone|oauth_access|relation/)
  await server.service.rows('alter table gone rename to oauth_access_tokens')
  expect(await refresh(server.origin, { client: server.client, token })).toMatchObject({ status: 200 })
})

test('an answer that is not a success uses nothing up', async () => {
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

test('whoever left the organization can use nothing that was issued for it', async () => {
  await using server = await startAuthorizationServer()
  const tokens = await server.authorize()
  await server.service.rows('delete from members')
  await expect(server.service.call(verifyToken, { hash: hashToken(tokens.access_token) }, anonymous)).rejects.toThrow()
  const userinfo = await fetch(`${server.origin}/v1/oauth2/userinfo`, { headers: { authorization: `Bearer ${tokens.access_token}` } })
  expect(userinfo.status).toBe(401)
  const refreshed = await refresh(server.origin, { client: server.client, token: tokens.refresh_token })
  expect(refreshed).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
})

test('keys rotate without a restart: what was signed before stays valid, what is signed next is known already', async () => {
  await using server = await startAuthorizationServer()
  const before = await server.authorize()
  const kids = await publishedKids()
  expect(kids).toHaveLength(4)
  await expect(server.service.call(rotateSigningKeys, {}, operator)).rejects.toThrow(/younger/)
  await server.service.call(rotateSigningKeys, { force: true }, operator)
  const after = await eventually(async () => {
    const tokens = await server.authorize()
    expect(kidOf(tokens.id_token)).not.toBe(kidOf(before.id_token))
    return tokens
  })
  expect(kids).toContain(kidOf(after.id_token))
  expect(await publishedKids()).toEqual(expect.arrayContaining([...kids, kidOf(before.id_token)]))
  expect(await refresh(server.origin, { client: server.client, token: before.refresh_token })).toMatchObject({ status: 200 })
  const { keys } = await server.service.call(listSigningKeys, {}, anonymous)
  expect(keys).toHaveLength(6)
  expect(JSON.stringify(keys)).not.toMatch(/"(d|p|q|dp|dq|qi)":/)

  async function publishedKids(): Promise<string[]> {
    const { keys: published } = (await (await fetch(`${server.origin}/.well-known/jwks.json`)).json()) as { keys: { kid: string }[] }
    return published.map(({ kid }) => kid)
  }
})

test('a JWT access token is asked for by resource, and its grant tells whether it still counts', async () => {
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
  const asked = { grant_id: payload.grant_id, token_id: payload.jti }
  const { caller } = await server.service.call(verifyGrant, asked, anonymous)
  expect(caller).toMatchObject({ kind: 'organization', organization_id: server.organization.id })
  await postForm(`${server.origin}/v1/oauth2/revoke`, { token: body.refresh_token, ...authentication(server.client) })
  await expect(server.service.call(verifyGrant, asked, anonymous)).rejects.toThrow()
})

function kidOf(jwt: string): string {
  return JSON.parse(Buffer.from(jwt.split('.')[0] as string, 'base64url').toString()).kid
}

/** A second process of the service in all but name: its own pool, its own provider, its own port. */
async function startReplica(config: Partial<RuntimeConfig>) {
  const running = await startService(auth, { config })
  return { origin: `http://127.0.0.1:${running.healthPort}`, [Symbol.asyncDispose]: () => running.stop() }
}
