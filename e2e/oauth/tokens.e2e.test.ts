import { authentication, postForm, exchangeCode, refresh } from '@quittance/testing/oauth-client'
import { callApi } from '@quittance/testing/system'
import { createRemoteJWKSet, decodeJwt, jwtVerify } from 'jose'
import * as oidc from 'openid-client'
import { beforeAll, describe, expect, test } from 'vitest'
import { waitUntilRejected } from '@quittance/testing/wait-until-rejected'
import { createAccount, useSharedProvider, type RunningProvider } from './provider.ts'

let provider: RunningProvider

beforeAll(async () => {
  provider = await useSharedProvider()
})

const tokenEndpoint = () => `${provider.baseUrl}/v1/oauth2/token`
const userinfoEndpoint = () => `${provider.baseUrl}/v1/oauth2/userinfo`
const asUser = { sub_type: 'user' }

/** Returns the form of a valid code exchange. */
async function createExchangeFields(): Promise<Record<string, string>> {
  const { code, verifier } = await provider.authorize()
  const { redirect_uri } = provider.confidential
  return { grant_type: 'authorization_code', code, redirect_uri, code_verifier: verifier, ...authentication(provider.confidential) }
}

function omitFields(fields: Record<string, string>, ...names: string[]): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)))
}

function buildBasicHeader(id: string, secret: string): { authorization: string } {
  return { authorization: `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}` }
}

async function fetchUserinfo(token: string): Promise<Response> {
  return fetch(userinfoEndpoint(), { headers: { authorization: `Bearer ${token}` } })
}

describe('exchanging a code', () => {
  test('returns all tokens, of type Bearer, with lifetime and scope [53]', async () => {
    const scope = 'openid email'
    const { code, verifier } = await provider.authorize({ parameters: { scope } })
    const { status, headers, body } = await exchangeCode(provider.baseUrl, { client: provider.confidential, code, verifier })
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

  test('responds with JSON that must not be stored [54]', async () => {
    const { headers } = await postForm(tokenEndpoint(), await createExchangeFields())
    expect(headers.get('cache-control')).toContain('no-store')
    expect(headers.get('content-type')).toMatch(/^application\/json/)
  })

  test('openid-client completes the flow with state, nonce and signature checks [53]', async () => {
    const [state, nonce] = [oidc.randomState(), oidc.randomNonce()]
    const { config, callback, verifier } = await provider.authorize({ parameters: { state, nonce } })
    oidc.enableNonRepudiationChecks(config)
    const checks = { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce, idTokenExpected: true }
    const tokens = await oidc.authorizationCodeGrant(config, callback, checks)
    expect(tokens.claims()).toMatchObject({ nonce, iss: provider.baseUrl })
  })

  test('without openid there is no ID token, and the access token works on the API [55]', async () => {
    const { access_token, id_token } = await provider.obtainTokens({ parameters: { scope: 'orders:read' } })
    expect(id_token).toBeUndefined()
    expect(await callApi(`${provider.baseUrl}/v1/orders/`, { method: 'GET', token: access_token })).toMatchObject({ status: 200 })
  })

  test('a wrong secret in the form is 401 invalid_client with the fields of RFC and contract [56]', async () => {
    const { status, body } = await postForm(tokenEndpoint(), { ...(await createExchangeFields()), client_secret: 'wrong' })
    expect(status).toBe(401)
    expect(body).toEqual({ error: 'invalid_client', error_description: expect.any(String), detail: body.error_description })
  })

  test('a wrong secret in the header is 401 with a challenge [57]', async () => {
    const fields = omitFields(await createExchangeFields(), 'client_id', 'client_secret')
    const rejected = await postForm(tokenEndpoint(), fields, buildBasicHeader(provider.confidential.client_id, 'wrong'))
    expect(rejected).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
    expect(rejected.headers.get('www-authenticate')).toMatch(/^Basic /)
  })

  test('a client registered for client_secret_post may also use Basic [58]', async () => {
    const { callback, verifier } = await provider.authorize()
    const config = await provider.configure(provider.confidential, oidc.ClientSecretBasic(provider.confidential.client_secret ?? ''))
    const tokens = await oidc.authorizationCodeGrant(config, callback, { pkceCodeVerifier: verifier })
    expect(tokens.access_token).toMatch(/^qt_at_/)
  })

  test('an unknown client and a wrong secret get the same response [61]', async () => {
    const fields = await createExchangeFields()
    const wrong = await postForm(tokenEndpoint(), { ...fields, client_secret: 'wrong' })
    const unknown = await postForm(tokenEndpoint(), { ...fields, client_id: 'nobody' })
    expect(unknown).toMatchObject({ status: 401, body: wrong.body })
  })

  test('a confidential client without its secret is 401 invalid_client [62]', async () => {
    const response = await postForm(tokenEndpoint(), omitFields(await createExchangeFields(), 'client_secret'))
    expect(response).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
  })

  test('a public client needs no secret, only its verifier [63]', async () => {
    const tokens = await provider.obtainTokens({ client: provider.publicClient })
    expect(tokens).toMatchObject({ access_token: expect.stringMatching(/^qt_at_/), refresh_token: expect.stringMatching(/^qt_rt_/) })
  })

  test('a missing grant type is invalid_request, an unknown one unsupported_grant_type [65]', async () => {
    const fields = await createExchangeFields()
    const missing = await postForm(tokenEndpoint(), omitFields(fields, 'grant_type'))
    expect(missing).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
    for (const grant_type of ['password', 'client_credentials', 'urn:x']) {
      const unknown = await postForm(tokenEndpoint(), { ...fields, grant_type })
      expect(unknown).toMatchObject({ status: 400, body: { error: 'unsupported_grant_type' } })
    }
  })

  test('a grant type that the client is not registered for is unauthorized_client [66]', async () => {
    const { redirect_uri } = provider.confidential
    const metadata = { redirect_uris: [redirect_uri], client_name: 'Once', grant_types: ['authorization_code'], scope: 'openid' }
    const registered = await oidc.dynamicClientRegistration(new URL(provider.baseUrl), metadata, undefined, {
      initialAccessToken: provider.system.demo.personal_access_token,
      execute: [oidc.allowInsecureRequests],
    })
    const { client_id, client_secret } = registered.clientMetadata()
    const client = { client_id, client_secret: String(client_secret), redirect_uri }
    expect((await provider.obtainTokens({ client })).refresh_token).toBeUndefined()
    const rejected = await refresh(provider.baseUrl, { client, token: 'qt_rt_x' })
    expect(rejected).toMatchObject({ status: 400, body: { error: 'unauthorized_client' } })
  })

  test.each(['code', 'redirect_uri'])('is invalid_request without %s [67]', async (name) => {
    const response = await postForm(tokenEndpoint(), omitFields(await createExchangeFields(), name))
    expect(response).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
  })

  test('another redirect URI than in the authorization request is invalid_grant [68]', async () => {
    const response = await postForm(tokenEndpoint(), { ...(await createExchangeFields()), redirect_uri: 'http://127.0.0.1:8976/other' })
    expect(response).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  })

  test('the code of another client is invalid_grant [69]', async () => {
    const fields = omitFields(await createExchangeFields(), 'client_secret')
    const response = await postForm(tokenEndpoint(), { ...fields, client_id: provider.publicClient.client_id })
    expect(response).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  })

  test('a wrong verifier, or none after a challenge, is invalid_grant [70]', async () => {
    const fields = await createExchangeFields()
    const wrong = await postForm(tokenEndpoint(), { ...fields, code_verifier: oidc.randomPKCECodeVerifier() })
    expect(wrong).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
    const none = await postForm(tokenEndpoint(), omitFields(await createExchangeFields(), 'code_verifier'))
    expect(none).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  })

  test('a reused code is rejected, and the tokens of its first use are revoked [72]', async () => {
    const fields = await createExchangeFields()
    const { body: first } = await postForm(tokenEndpoint(), fields)
    expect((await fetchUserinfo(first.access_token)).status).toBe(200)
    expect(await postForm(tokenEndpoint(), fields)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
    expect((await fetchUserinfo(first.access_token)).status).toBe(401)
    const refreshed = await refresh(provider.baseUrl, { client: provider.confidential, token: first.refresh_token })
    expect(refreshed).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  })

  test('exactly one of ten concurrent exchanges of one code succeeds [74]', async () => {
    const fields = await createExchangeFields()
    const responses = await Promise.all(Array.from({ length: 10 }, () => postForm(tokenEndpoint(), fields)))
    expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, ...Array.from({ length: 9 }, () => 400)])
  })

  test('an expired code is invalid_grant [75]', async () => {
    const fields = await createExchangeFields()
    await provider.rows(`update authorization_codes set expires_at = now() - interval '1 second'`)
    expect(await postForm(tokenEndpoint(), fields)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  })

  test('JSON instead of a form, and a duplicate field, are rejected in JSON [76]', async () => {
    const fields = await createExchangeFields()
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

  test('Accept: text/html still returns JSON, and 405 lists the allowed methods [77]', async () => {
    const rejected = await postForm(tokenEndpoint(), { grant_type: 'x' }, { accept: 'text/html' })
    expect(rejected.headers.get('content-type')).toMatch(/^application\/json/)
    const get = await fetch(tokenEndpoint())
    expect(get.status).toBe(405)
    expect(get.headers.get('allow')).toMatch(/\bPOST\b/)
    expect(await get.json()).toEqual({ error: expect.any(String), detail: expect.any(String) })
  })
})

describe('the ID token', () => {
  test('is signed with RS256 by a published key and contains no key [79]', async () => {
    const { id_token } = await provider.obtainTokens()
    const keys = createRemoteJWKSet(new URL(`${provider.baseUrl}/.well-known/jwks.json`))
    const { protectedHeader } = await jwtVerify(id_token, keys, { issuer: provider.baseUrl, audience: provider.confidential.client_id })
    expect(protectedHeader).toMatchObject({ alg: 'RS256', kid: expect.any(String) })
    expect(protectedHeader).not.toHaveProperty('jwk')
    expect(protectedHeader).not.toHaveProperty('jku')
  })

  test('has the issuer, the client as audience, and a stable sub for the user [80]', async () => {
    const [first, second] = [
      decodeJwt((await provider.obtainTokens()).id_token),
      decodeJwt((await provider.obtainTokens({ client: provider.publicClient })).id_token),
    ]
    expect(first).toMatchObject({ iss: provider.baseUrl, aud: provider.confidential.client_id })
    expect(first.exp).toBeGreaterThan(first.iat ?? Infinity)
    expect(first.sub).toMatch(/^[\x21-\x7e]{1,255}$/)
    expect(second.sub).toBe(first.sub)
  })

  test('contains the time of sign-in for max_age [82]', async () => {
    const { id_token } = await provider.obtainTokens({ parameters: { max_age: '3600' } })
    const { auth_time } = decodeJwt(id_token)
    expect(auth_time).toBeGreaterThan(Date.now() / 1000 - 3600)
    expect(auth_time).toBeLessThanOrEqual(Math.ceil(Date.now() / 1000))
  })

  test('and userinfo agree on the user and the address [83]', async () => {
    const { access_token, id_token } = await provider.obtainTokens({ parameters: { scope: 'openid email' } })
    const { sub = '', email } = decodeJwt(id_token)
    const userInfo = await oidc.fetchUserInfo(await provider.configure(), access_token, sub)
    expect(userInfo).toMatchObject({ sub, email, email_verified: true })
    expect(email).toBe(provider.person.email)
  })

  test('states whether it is for the user or for which organization [84]', async () => {
    const organization_id = provider.system.demo.second_organization.id
    const forOrganization = await provider.obtainTokens({ answer: { action: 'allow', organization_id } })
    expect(decodeJwt(forOrganization.id_token)).toMatchObject({ sub_type: 'organization', organization_id })
    const userinfo = await callApi(userinfoEndpoint(), { method: 'GET', token: forOrganization.access_token })
    expect(userinfo.body).toMatchObject({ organization_id, name: provider.system.demo.second_organization.slug })
    const forPerson = decodeJwt((await provider.obtainTokens({ parameters: asUser })).id_token)
    expect(forPerson).toMatchObject({ sub_type: 'user' })
    expect(forPerson).not.toHaveProperty('organization_id')
  })

  test('contains the hash of the access token, if it contains at_hash [85]', async () => {
    const { id_token, access_token } = await provider.obtainTokens()
    const leftHalf = Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from(access_token))).subarray(0, 16)
    expect([undefined, leftHalf.toString('base64url')]).toContain(decodeJwt(id_token)['at_hash'])
  })
})

describe('userinfo', () => {
  test('returns the address only to tokens that may read it [86]', async () => {
    const { access_token, claims } = await provider.obtainTokens({ parameters: { scope: 'openid email' } })
    const response = await fetchUserinfo(access_token)
    expect(response.headers.get('content-type')).toContain('application/json')
    expect(await response.json()).toMatchObject({ sub: claims()?.sub, email: provider.person.email, email_verified: true })
    const limitedClaims = (await (await fetchUserinfo((await provider.obtainTokens()).access_token)).json()) as object
    expect(limitedClaims).toMatchObject({ sub: claims()?.sub })
    for (const claim of ['email', 'email_verified']) expect(limitedClaims).not.toHaveProperty(claim)
  })

  test('accepts POST with the token in the header or in the form [87]', async () => {
    const { access_token } = await provider.obtainTokens()
    const byHeader = await fetch(userinfoEndpoint(), { method: 'POST', headers: { authorization: `Bearer ${access_token}` } })
    expect([byHeader.status, (await postForm(userinfoEndpoint(), { access_token })).status]).toEqual([200, 200])
  })

  test('without a token challenges without an error [88]', async () => {
    const { status, headers } = await fetch(userinfoEndpoint())
    expect(status).toBe(401)
    expect(headers.get('www-authenticate')).toMatch(/^Bearer\b/)
    expect(headers.get('www-authenticate')).not.toContain('error=')
  })

  test('returns invalid_token for an unknown, expired or revoked token [89]', async () => {
    const [expired, revoked] = [await provider.obtainTokens(), await provider.obtainTokens()]
    const hash = Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from(expired.access_token))).toString('hex')
    await provider.rows(`update oauth_access_tokens set expires_at = now() - interval '1 second' where token_hash = $1`, [hash])
    await oidc.tokenRevocation(await provider.configure(), revoked.access_token)
    for (const token of ['qt_at_unknown', expired.access_token, revoked.access_token]) {
      const response = await fetchUserinfo(token)
      expect(response.status).toBe(401)
      expect(response.headers.get('www-authenticate')).toMatch(/^Bearer .*error="invalid_token"/)
      expect(await response.json()).toMatchObject({ error: 'invalid_token', detail: expect.any(String) })
    }
  })

  test('rejects a token without the scope openid and names the scope [90]', async () => {
    const { access_token } = await provider.obtainTokens({ parameters: { scope: 'orders:read' } })
    const response = await fetchUserinfo(access_token)
    expect(response.status).toBe(403)
    expect(response.headers.get('www-authenticate')).toMatch(/error="insufficient_scope".*scope="openid"/)
    expect(await response.json()).toMatchObject({ error: 'insufficient_scope' })
  })

  test('rejects personal and organization access tokens [92]', async () => {
    const { personal_access_token, organization_access_token } = provider.system.demo
    for (const token of [personal_access_token, organization_access_token]) {
      const response = await fetchUserinfo(token)
      expect([401, 403]).toContain(response.status)
      expect(await response.text()).not.toContain('sub')
    }
  })

  test('and refresh reject a removed organization member within a second [93]', async () => {
    const person = { email: 'member@example.com', password: 'a long password' }
    const account = await createAccount(provider, person)
    await provider.runOperatorCommand('member', 'add', '--organization', provider.organizationId, '--account', account.id)
    const tokens = await provider.obtainTokens({ person, browser: provider.newBrowser(), parameters: { scope: 'openid orders:read' } })
    const orders = () => callApi(`${provider.baseUrl}/v1/orders/`, { method: 'GET', token: tokens.access_token })
    expect((await fetchUserinfo(tokens.access_token)).status).toBe(200)
    expect((await orders()).status).toBe(200)
    const membership = `${provider.baseUrl}/v1/organizations/${provider.organizationId}/members/${account.id}`
    const removed = await callApi(membership, { method: 'DELETE', token: provider.system.demo.personal_access_token })
    expect(removed.status).toBe(204)
    await waitUntilRejected(1_000, () => fetchUserinfo(tokens.access_token))
    await waitUntilRejected(1_000, orders)
    const refreshed = await refresh(provider.baseUrl, { client: provider.confidential, token: tokens.refresh_token })
    expect(refreshed).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  })
})
