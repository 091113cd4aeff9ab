import { authentication, postForm, redeem, refresh } from '@quittance/testing/oauth-client'
import { callApi } from '@quittance/testing/system'
import { createRemoteJWKSet, decodeJwt, jwtVerify } from 'jose'
import * as oidc from 'openid-client'
import { beforeAll, describe, expect, test } from 'vitest'
import { refusedWithin } from '@quittance/testing/refused-within'
import { joinProvider, type RunningProvider } from './provider.ts'

let provider: RunningProvider

beforeAll(async () => {
  provider = await joinProvider()
})

const tokenEndpoint = () => `${provider.baseUrl}/v1/oauth2/token`
const userinfoEndpoint = () => `${provider.baseUrl}/v1/oauth2/userinfo`
const asUser = { sub_type: 'user' }

/** The fields of an exchange that would succeed. */
async function exchange(): Promise<Record<string, string>> {
  const { code, verifier } = await provider.authorize()
  const { redirect_uri } = provider.confidential
  return { grant_type: 'authorization_code', code, redirect_uri, code_verifier: verifier, ...authentication(provider.confidential) }
}

function without(fields: Record<string, string>, ...names: string[]): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)))
}

function basic(id: string, secret: string): { authorization: string } {
  return { authorization: `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}` }
}

async function userinfo(token: string): Promise<Response> {
  return fetch(userinfoEndpoint(), { headers: { authorization: `Bearer ${token}` } })
}

describe('exchanging a code', () => {
  test('gives all tokens, of type Bearer, with lifetime and scope (53)', async () => {
    const scope = 'openid email'
    const { code, verifier } = await provider.authorize({ parameters: { scope } })
    const { status, headers, body } = await redeem(provider.baseUrl, { client: provider.confidential, code, verifier })
    expect(status).toBe(200)
    expect(body).toEqual({
      token_type: 'Bearer',
      access_token: expect.stringMatching(/^qt_at_/),
      refresh_token: expect.stringMatching(/^qt_rt_/),
      id_token: expect.any(String),
      expires_in: 3600,
      scope,
    })
    expect(headers.get('content-type')).toContain('application/json')
  })

  test('answers with JSON that nothing may keep (54)', async () => {
    const { headers } = await postForm(tokenEndpoint(), await exchange())
    expect(headers.get('cache-control')).toContain('no-store')
    expect(headers.get('content-type')).toMatch(/^application\/json/)
  })

  test('openid-client gets through the whole flow, state, nonce and signature checked (53)', async () => {
    const [state, nonce] = [oidc.randomState(), oidc.randomNonce()]
    const { config, callback, verifier } = await provider.authorize({ parameters: { state, nonce } })
    oidc.enableNonRepudiationChecks(config)
    const checks = { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce, idTokenExpected: true }
    const tokens = await oidc.authorizationCodeGrant(config, callback, checks)
    expect(tokens.claims()).toMatchObject({ nonce, iss: provider.baseUrl })
  })

  test('without openid there is no ID token, and the access token works on the API (55)', async () => {
    const { access_token, id_token } = await provider.tokens({ parameters: { scope: 'orders:read' } })
    expect(id_token).toBeUndefined()
    expect(await callApi(`${provider.baseUrl}/v1/orders/`, { method: 'GET', token: access_token })).toMatchObject({ status: 200 })
  })

  test('a wrong secret in the form is 401 invalid_client, with the fields of the RFC and of the contract (56)', async () => {
    const { status, body } = await postForm(tokenEndpoint(), { ...(await exchange()), client_secret: 'wrong' })
    expect(status).toBe(401)
    expect(body).toEqual({ error: 'invalid_client', error_description: expect.any(String), detail: body.error_description })
  })

  test('a wrong secret in the header is 401 with a challenge (57)', async () => {
    const fields = without(await exchange(), 'client_id', 'client_secret')
    const refused = await postForm(tokenEndpoint(), fields, basic(provider.confidential.client_id, 'wrong'))
    expect(refused).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
    expect(refused.headers.get('www-authenticate')).toMatch(/^Basic /)
  })

  test('a client that is registered to post its secret may send it by Basic too (58)', async () => {
    const { callback, verifier } = await provider.authorize()
    const config = await provider.configure(provider.confidential, oidc.ClientSecretBasic(provider.confidential.client_secret ?? ''))
    const tokens = await oidc.authorizationCodeGrant(config, callback, { pkceCodeVerifier: verifier })
    expect(tokens.access_token).toMatch(/^qt_at_/)
  })

  test('an unknown client and a wrong secret get the same answer (61)', async () => {
    const fields = await exchange()
    const wrong = await postForm(tokenEndpoint(), { ...fields, client_secret: 'wrong' })
    const unknown = await postForm(tokenEndpoint(), { ...fields, client_id: 'nobody' })
    expect(unknown).toMatchObject({ status: 401, body: wrong.body })
  })

  test('a confidential client without its secret is 401 invalid_client (62)', async () => {
    const answer = await postForm(tokenEndpoint(), without(await exchange(), 'client_secret'))
    expect(answer).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
  })

  test('a public client needs no secret but its verifier (63)', async () => {
    const tokens = await provider.tokens({ client: provider.open })
    expect(tokens).toMatchObject({ access_token: expect.stringMatching(/^qt_at_/), refresh_token: expect.stringMatching(/^qt_rt_/) })
  })

  test('a missing grant type is invalid_request, an unknown one unsupported_grant_type (65)', async () => {
    const fields = await exchange()
    const missing = await postForm(tokenEndpoint(), without(fields, 'grant_type'))
    expect(missing).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
    for (const grant_type of ['password', 'client_credentials', 'urn:x']) {
      const unknown = await postForm(tokenEndpoint(), { ...fields, grant_type })
      expect(unknown).toMatchObject({ status: 400, body: { error: 'unsupported_grant_type' } })
    }
  })

  test('a grant type that the client is not registered for is unauthorized_client (66)', async () => {
    const { redirect_uri } = provider.confidential
    const metadata = { redirect_uris: [redirect_uri], client_name: 'Once', grant_types: ['authorization_code'], scope: 'openid' }
    const registered = await oidc.dynamicClientRegistration(new URL(provider.baseUrl), metadata, undefined, {
      initialAccessToken: provider.system.demo.personal_access_token,
      execute: [oidc.allowInsecureRequests],
    })
    const { client_id, client_secret } = registered.clientMetadata()
    const client = { client_id, client_secret: String(client_secret), redirect_uri }
    expect((await provider.tokens({ client })).refresh_token).toBeUndefined()
    const refused = await refresh(provider.baseUrl, { client, token: 'qt_rt_x' })
    expect(refused).toMatchObject({ status: 400, body: { error: 'unauthorized_client' } })
  })

  test.each(['code', 'redirect_uri'])('without %s it is invalid_request (67)', async (name) => {
    const answer = await postForm(tokenEndpoint(), without(await exchange(), name))
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
  })

  test('another redirect URI than in the authorization request is invalid_grant (68)', async () => {
    const answer = await postForm(tokenEndpoint(), { ...(await exchange()), redirect_uri: 'http://127.0.0.1:8976/other' })
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  })

  test('the code of another client is invalid_grant (69)', async () => {
    const fields = without(await exchange(), 'client_secret')
    const answer = await postForm(tokenEndpoint(), { ...fields, client_id: provider.open.client_id })
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  })

  test('a wrong verifier, or none after a challenge, is invalid_grant (70)', async () => {
    const fields = await exchange()
    const wrong = await postForm(tokenEndpoint(), { ...fields, code_verifier: oidc.randomPKCECodeVerifier() })
    expect(wrong).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
    const none = await postForm(tokenEndpoint(), without(await exchange(), 'code_verifier'))
    expect(none).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  })

  test('a code that is used twice is refused, and what its first use gave stops working (72)', async () => {
    const fields = await exchange()
    const { body: first } = await postForm(tokenEndpoint(), fields)
    expect((await userinfo(first.access_token)).status).toBe(200)
    expect(await postForm(tokenEndpoint(), fields)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
    expect((await userinfo(first.access_token)).status).toBe(401)
    const refreshed = await refresh(provider.baseUrl, { client: provider.confidential, token: first.refresh_token })
    expect(refreshed).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  })

  test('of ten exchanges of one code at the same time exactly one succeeds (74)', async () => {
    const fields = await exchange()
    const answers = await Promise.all(Array.from({ length: 10 }, () => postForm(tokenEndpoint(), fields)))
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, ...Array.from({ length: 9 }, () => 400)])
  })

  test('an expired code is invalid_grant (75)', async () => {
    const fields = await exchange()
    await provider.rows(`update authorization_codes set expires_at = now() - interval '1 second'`)
    expect(await postForm(tokenEndpoint(), fields)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  })

  test('JSON instead of a form, and a field that comes twice, are refused in JSON (76)', async () => {
    const fields = await exchange()
    const headers = { 'content-type': 'application/json' }
    const asJson = await fetch(tokenEndpoint(), { method: 'POST', headers, body: JSON.stringify(fields) })
    expect([400, 415]).toContain(asJson.status)
    expect(await asJson.json()).toMatchObject({
      error: 'invalid_request',
      error_description: expect.any(String),
      detail: expect.any(String),
    })
    const twice = await fetch(tokenEndpoint(), { method: 'POST', body: new URLSearchParams([...Object.entries(fields), ['code', 'x']]) })
    expect(twice.status).toBe(400)
    expect(await twice.json()).toMatchObject({ error: 'invalid_request' })
  })

  test('a browser’s Accept still gets JSON, and other methods are told what is allowed (77)', async () => {
    const refused = await postForm(tokenEndpoint(), { grant_type: 'x' }, { accept: 'text/html' })
    expect(refused.headers.get('content-type')).toMatch(/^application\/json/)
    const get = await fetch(tokenEndpoint())
    expect(get.status).toBe(405)
    expect(get.headers.get('allow')).toMatch(/\bPOST\b/)
    expect(await get.json()).toEqual({ error: expect.any(String), detail: expect.any(String) })
  })
})

describe('the ID token', () => {
  test('is signed with RS256 by a published key, and carries no key itself (79)', async () => {
    const { id_token } = await provider.tokens()
    const keys = createRemoteJWKSet(new URL(`${provider.baseUrl}/.well-known/jwks.json`))
    const { protectedHeader } = await jwtVerify(id_token, keys, { issuer: provider.baseUrl, audience: provider.confidential.client_id })
    expect(protectedHeader).toMatchObject({ alg: 'RS256', kid: expect.any(String) })
    expect(protectedHeader).not.toHaveProperty('jwk')
    expect(protectedHeader).not.toHaveProperty('jku')
  })

  test('is of the issuer, for the client, and of a person whose sub stays (80)', async () => {
    const [first, second] = [
      decodeJwt((await provider.tokens()).id_token),
      decodeJwt((await provider.tokens({ client: provider.open })).id_token),
    ]
    expect(first).toMatchObject({ iss: provider.baseUrl, aud: provider.confidential.client_id })
    expect(first.exp).toBeGreaterThan(first.iat ?? Infinity)
    expect(first.sub).toMatch(/^[\x21-\x7e]{1,255}$/)
    expect(second.sub).toBe(first.sub)
  })

  test('tells when the person signed in, when max_age asks (82)', async () => {
    const { id_token } = await provider.tokens({ parameters: { max_age: '3600' } })
    const { auth_time } = decodeJwt(id_token)
    expect(auth_time).toBeGreaterThan(Date.now() / 1000 - 3600)
    expect(auth_time).toBeLessThanOrEqual(Math.ceil(Date.now() / 1000))
  })

  test('and userinfo agree on the person and the address (83)', async () => {
    const { access_token, id_token } = await provider.tokens({ parameters: { scope: 'openid email' } })
    const { sub = '', email } = decodeJwt(id_token)
    const told = await oidc.fetchUserInfo(await provider.configure(), access_token, sub)
    expect(told).toMatchObject({ sub, email, email_verified: true })
    expect(email).toBe(provider.person.email)
  })

  test('tells whether it is for the person or for which organization (84)', async () => {
    const organization_id = provider.system.demo.second_organization.id
    const forOrganization = await provider.tokens({ answer: { action: 'allow', organization_id } })
    expect(decodeJwt(forOrganization.id_token)).toMatchObject({ sub_type: 'organization', organization_id })
    const forPerson = decodeJwt((await provider.tokens({ parameters: asUser })).id_token)
    expect(forPerson).toMatchObject({ sub_type: 'user' })
    expect(forPerson).not.toHaveProperty('organization_id')
  })

  test('matches the access token, where it names its hash (85)', async () => {
    const { id_token, access_token } = await provider.tokens()
    const half = Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from(access_token))).subarray(0, 16)
    expect([undefined, half.toString('base64url')]).toContain(decodeJwt(id_token)['at_hash'])
  })
})

describe('userinfo', () => {
  test('tells the address to who may read it and to nobody else (86)', async () => {
    const { access_token, claims } = await provider.tokens({ parameters: { scope: 'openid email' } })
    const response = await userinfo(access_token)
    expect(response.headers.get('content-type')).toContain('application/json')
    expect(await response.json()).toMatchObject({ sub: claims()?.sub, email: provider.person.email, email_verified: true })
    const little = (await (await userinfo((await provider.tokens()).access_token)).json()) as object
    expect(little).toMatchObject({ sub: claims()?.sub })
    for (const claim of ['email', 'email_verified']) expect(little).not.toHaveProperty(claim)
  })

  test('takes POST too, with the token in the header or in the form (87)', async () => {
    const { access_token } = await provider.tokens()
    const byHeader = await fetch(userinfoEndpoint(), { method: 'POST', headers: { authorization: `Bearer ${access_token}` } })
    expect([byHeader.status, (await postForm(userinfoEndpoint(), { access_token })).status]).toEqual([200, 200])
  })

  test('without a token challenges without an error (88)', async () => {
    const { status, headers } = await fetch(userinfoEndpoint())
    expect(status).toBe(401)
    expect(headers.get('www-authenticate')).toMatch(/^Bearer\b/)
    expect(headers.get('www-authenticate')).not.toContain('error=')
  })

  test('says invalid_token for one that is unknown, expired or revoked (89)', async () => {
    const [expired, revoked] = [await provider.tokens(), await provider.tokens()]
    const hash = Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from(expired.access_token))).toString('hex')
    await provider.rows(`update oauth_access_tokens set expires_at = now() - interval '1 second' where token_hash = $1`, [hash])
    await oidc.tokenRevocation(await provider.configure(), revoked.access_token)
    for (const token of ['qt_at_unknown', expired.access_token, revoked.access_token]) {
      const response = await userinfo(token)
      expect(response.status).toBe(401)
      expect(response.headers.get('www-authenticate')).toMatch(/^Bearer .*error="invalid_token"/)
      expect(await response.json()).toMatchObject({ error: 'invalid_token', detail: expect.any(String) })
    }
  })

  test('refuses a token without the scope openid, and names it (90)', async () => {
    const { access_token } = await provider.tokens({ parameters: { scope: 'orders:read' } })
    const response = await userinfo(access_token)
    expect(response.status).toBe(403)
    expect(response.headers.get('www-authenticate')).toMatch(/error="insufficient_scope".*scope="openid"/)
    expect(await response.json()).toMatchObject({ error: 'insufficient_scope' })
  })

  test('does not take personal or organization access tokens (92)', async () => {
    const { personal_access_token, organization_access_token } = provider.system.demo
    for (const token of [personal_access_token, organization_access_token]) {
      const response = await userinfo(token)
      expect([401, 403]).toContain(response.status)
      expect(await response.text()).not.toContain('sub')
    }
  })

  test('and refresh end within a second for who is removed from the organization (93)', async () => {
    const person = { email: 'member@example.com', password: 'a long password' }
    const account = await provider.operate<{ id: string }>('account', 'create', '--email', person.email, '--password', person.password)
    await provider.operate('member', 'add', '--organization', provider.organizationId, '--account', account.id)
    const tokens = await provider.tokens({ person, browser: provider.newBrowser(), parameters: { scope: 'openid orders:read' } })
    const orders = () => callApi(`${provider.baseUrl}/v1/orders/`, { method: 'GET', token: tokens.access_token })
    expect((await userinfo(tokens.access_token)).status).toBe(200)
    expect((await orders()).status).toBe(200)
    const membership = `${provider.baseUrl}/v1/organizations/${provider.organizationId}/members/${account.id}`
    const removed = await callApi(membership, { method: 'DELETE', token: provider.system.demo.personal_access_token })
    expect(removed.status).toBe(204)
    await refusedWithin(1_000, () => userinfo(tokens.access_token))
    await refusedWithin(1_000, orders)
    const refreshed = await refresh(provider.baseUrl, { client: provider.confidential, token: tokens.refresh_token })
    expect(refreshed).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  })
})
