import { createPublicKey, randomBytes, randomUUID } from 'node:crypto'
import { authentication, postForm, refresh } from '@quittance/testing/oauth-client'
import { callApi } from '@quittance/testing/system'
import {
  createRemoteJWKSet,
  decodeJwt,
  generateKeyPair,
  jwtVerify,
  SignJWT,
  UnsecuredJWT,
  type JWTHeaderParameters,
  type JWTPayload,
} from 'jose'
import * as oauth from 'oauth4webapi'
import * as oidc from 'openid-client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startProvider, type StartedProvider, type Tokens } from '../oauth/provider.ts'
import { waitUntilRejected } from '@quittance/testing/wait-until-rejected'
import { loadSigningKey } from '../oauth/signing-key.ts'

const secret = randomBytes(32)

let provider: StartedProvider
let server: oauth.AuthorizationServer

beforeAll(async () => {
  provider = await startProvider({ replicas: 'auth=2', env: { SECRETS_KEY: secret.toString('base64') } })
  server = (await provider.configure()).serverMetadata()
})
afterAll(() => provider[Symbol.asyncDispose]())

const insecure = { [oauth.allowInsecureRequests]: true }
const endpoint = (name: string) => `${provider.baseUrl}/v1/oauth2/${name}`
const ordersUrl = () => new URL(`${provider.baseUrl}/v1/orders/`)

const listOrders = (token: string) => callApi(ordersUrl().href, { method: 'GET', token })

/** Obtains tokens whose access token is a JWT for the API. */
async function obtainJwtTokens(): Promise<Tokens> {
  const parameters = { scope: 'openid email orders:read', resource: provider.baseUrl }
  const { config, callback, verifier } = await provider.authorize({ parameters })
  return (await oidc.authorizationCodeGrant(config, callback, { pkceCodeVerifier: verifier }, { resource: provider.baseUrl })) as Tokens
}

describe('a JWT access token', () => {
  test('is issued for the resource, has type at+jwt and all claims that the RFC requires [115]', async () => {
    const { access_token, claims } = await obtainJwtTokens()
    const keys = createRemoteJWKSet(new URL(`${provider.baseUrl}/.well-known/jwks.json`))
    const { payload, protectedHeader } = await jwtVerify(access_token, keys)
    expect(protectedHeader).toMatchObject({ typ: 'at+jwt', alg: 'ES256', kid: expect.any(String) })
    expect(payload).toMatchObject({
      iss: provider.baseUrl,
      aud: provider.baseUrl,
      sub: claims()?.sub,
      client_id: provider.confidential.client_id,
      scope: 'email orders:read',
      jti: expect.any(String),
      iat: expect.any(Number),
      exp: expect.any(Number),
      sub_type: 'organization',
      organization_id: provider.organizationId,
    })
    expect((await listOrders(access_token)).status).toBe(200)
  })

  test('has the requested resource as audience; unknown resources are rejected [116]', async () => {
    const { access_token, refresh_token } = await obtainJwtTokens()
    expect(decodeJwt(access_token).aud).toBe(provider.baseUrl)
    const { url } = await provider.openAuthorizationPage({ resource: 'https://elsewhere.example', state: 'x' })
    expect(Object.fromEntries(url.searchParams)).toMatchObject({ error: 'invalid_target', state: 'x' })
    const fields = { grant_type: 'refresh_token', refresh_token, resource: 'https://elsewhere.example' }
    const rejected = await postForm(endpoint('token'), { ...fields, ...authentication(provider.confidential) })
    expect(rejected).toMatchObject({ status: 400, body: { error: 'invalid_target' } })
  })

  test('is accepted by oauth4webapi as a resource server (118)', async () => {
    const { access_token } = await obtainJwtTokens()
    const request = new Request(ordersUrl(), { headers: { authorization: `Bearer ${access_token}` } })
    const claims = await oauth.validateJwtAccessToken(server, request, provider.baseUrl, insecure)
    expect(claims).toMatchObject({ client_id: provider.confidential.client_id })
  })

  test('is rejected within a second of the revocation of its authorization [110]', async () => {
    const { access_token, refresh_token } = await obtainJwtTokens()
    expect((await listOrders(access_token)).status).toBe(200)
    await oidc.tokenRevocation(await provider.configure(), refresh_token)
    await waitUntilRejected(1_000, () => listOrders(access_token))
  })
})

describe('the API rejects', () => {
  test('an ID token as credential [117]', async () => {
    const { id_token } = await obtainJwtTokens()
    expect(await listOrders(id_token)).toMatchObject({ status: 401, body: { error: 'invalid_token' } })
  })

  test('tokens of another issuer, key, type or audience, and unsigned tokens [117]', async () => {
    const { access_token } = await obtainJwtTokens()
    const { kid, privateKey, publicJwk } = await loadSigningKey(provider, secret)
    const validClaims = { ...decodeJwt(access_token), jti: randomUUID() }
    const header: JWTHeaderParameters = { alg: 'ES256', typ: 'at+jwt', kid }
    const sign = (payload: JWTPayload, extraHeader: Partial<JWTHeaderParameters> = {}) =>
      new SignJWT(payload).setProtectedHeader({ ...header, ...extraHeader }).sign(privateKey)
    const otherKeys = await generateKeyPair('ES256')
    const publicKeys = [
      createPublicKey({ key: publicJwk as never, format: 'jwk' })
        .export({ type: 'spki', format: 'pem' })
        .toString(),
      JSON.stringify(publicJwk),
    ]
    const hmac = (key: string) => new SignJWT(validClaims).setProtectedHeader({ ...header, alg: 'HS256' }).sign(Buffer.from(key))
    const now = Math.floor(Date.now() / 1000)
    const forged: Record<string, string> = {
      'another type': await sign(validClaims, { typ: 'JWT' }),
      'no type': await new SignJWT(validClaims).setProtectedHeader({ alg: 'ES256', kid }).sign(privateKey),
      'another audience': await sign({ ...validClaims, aud: 'https://elsewhere.example' }),
      'another issuer': await sign({ ...validClaims, iss: 'https://elsewhere.example' }),
      expired: await sign({ ...validClaims, iat: now - 7200, exp: now - 3600 }),
      'no signature': new UnsecuredJWT(validClaims).encode(),
      'the public key as HMAC secret': await hmac(publicKeys[0] as string),
      'the public JWK as HMAC secret': await hmac(publicKeys[1] as string),
      'another key under the same kid': await new SignJWT(validClaims).setProtectedHeader(header).sign(otherKeys.privateKey),
      'an unknown kid': await sign(validClaims, { kid: 'unknown' }),
      'an unknown grant': await sign({ ...validClaims, grant_id: 'none' }),
    }
    for (const [name, token] of Object.entries(forged)) {
      const response = await listOrders(token)
      expect({ name, ...response }).toMatchObject({ name, status: 401, body: { error: 'invalid_token' } })
      expect(response.headers.get('www-authenticate')).toContain('error="invalid_token"')
    }
    // A token created the same way without a fault is accepted: the tokens above were rejected only for their one fault.
    expect((await listOrders(await sign(validClaims))).status).toBe(200)
  })
})

interface BoundTokens {
  keys: oauth.CryptoKeyPair
  tokens: oauth.TokenEndpointResponse
}

const client = (): oauth.Client => ({ client_id: provider.confidential.client_id })
const clientAuth = () => oauth.ClientSecretPost(provider.confidential.client_secret ?? '')
const proofOptions = (keys: oauth.CryptoKeyPair) => ({ DPoP: oauth.DPoP(client(), keys), ...insecure })

/** Obtains tokens that are bound to a new key. */
async function obtainBoundTokens(parameters: Record<string, string> = {}): Promise<BoundTokens> {
  const keys = await oauth.generateKeyPair('ES256')
  const { callback, verifier } = await provider.authorize({ parameters: { scope: 'openid orders:read', ...parameters } })
  const authorizationResponse = oauth.validateAuthResponse(server, client(), callback)
  const { redirect_uri } = provider.confidential
  const options = { ...proofOptions(keys), ...(parameters['resource'] && { additionalParameters: { resource: parameters['resource'] } }) }
  const context = { server, client: client(), auth: clientAuth() }
  const response = await oauth.authorizationCodeGrantRequest(
    context.server,
    context.client,
    context.auth,
    authorizationResponse,
    redirect_uri,
    verifier,
    options,
  )
  return { keys, tokens: await oauth.processAuthorizationCodeResponse(server, client(), response) }
}

function callWithProof(token: string, keys: oauth.CryptoKeyPair, fetchWith?: typeof fetch): Promise<Response> {
  const options = { ...proofOptions(keys), ...(fetchWith && { [oauth.customFetch]: fetchWith }) }
  return oauth.protectedResourceRequest(token, 'GET', ordersUrl(), undefined, undefined, options as never)
}

describe('a sender-constrained token', () => {
  test('has type DPoP, and introspection returns its key thumbprint [119]', async () => {
    const { tokens, keys } = await obtainBoundTokens()
    expect(tokens.token_type).toBe('dpop')
    const introspection = await oidc.tokenIntrospection(await provider.configure(), tokens.access_token)
    expect(introspection).toMatchObject({ token_type: 'DPoP', cnf: { jkt: await oauth.DPoP(client(), keys).calculateThumbprint() } })
  })

  test.each(['opaque', 'JWT'])('works on the API with a fresh proof: %s [119]', async (kind) => {
    const { tokens, keys } = await obtainBoundTokens(kind === 'JWT' ? { resource: provider.baseUrl } : {})
    expect((await callWithProof(tokens.access_token, keys)).status).toBe(200)
    expect((await callWithProof(tokens.access_token, keys)).status).toBe(200)
  })

  test.each(['opaque', 'JWT'])('is rejected as a bearer token, with another key, and with a used proof: %s [119]', async (kind) => {
    const { tokens, keys } = await obtainBoundTokens(kind === 'JWT' ? { resource: provider.baseUrl } : {})
    const { access_token } = tokens
    const asBearer = await listOrders(access_token)
    expect(asBearer).toMatchObject({ status: 401, body: { error: 'invalid_token' } })
    await expectChallenge(callWithProof(access_token, await oauth.generateKeyPair('ES256')))
    let headers = new Headers()
    const recordingFetch: typeof fetch = (url, init) => {
      headers = new Headers(init?.headers)
      return fetch(url, init)
    }
    expect((await callWithProof(access_token, keys, recordingFetch)).status).toBe(200)
    const replayed = await fetch(ordersUrl(), { headers })
    expect(replayed.status).toBe(401)
    expect(replayed.headers.get('www-authenticate')).toMatch(/DPoP .*error="invalid_dpop_proof"/)
    const otherResource = await fetch(new URL('/v1/products/', provider.baseUrl), { headers })
    expect(otherResource.status).toBe(401)
  })

  test('is accepted by userinfo only with a proof [119]', async () => {
    const { tokens, keys } = await obtainBoundTokens()
    const response = await oauth.userInfoRequest(server, client(), tokens.access_token, proofOptions(keys))
    expect(response.status).toBe(200)
    const plain = await fetch(endpoint('userinfo'), { headers: { authorization: `Bearer ${tokens.access_token}` } })
    expect(plain.status).toBe(401)
  })

  test('is not issued without the key named in the authorization request [121]', async () => {
    const keys = await oauth.generateKeyPair('ES256')
    const dpop_jkt = await oauth.DPoP(client(), keys).calculateThumbprint()
    for (const withProof of [false, true]) {
      const { callback, verifier } = await provider.authorize({ parameters: { dpop_jkt } })
      const config = await provider.configure()
      const other = oidc.getDPoPHandle(config, await oidc.randomDPoPKeyPair())
      const exchange = oidc.authorizationCodeGrant(config, callback, { pkceCodeVerifier: verifier }, {}, withProof ? { DPoP: other } : {})
      await expect(exchange).rejects.toMatchObject({ error: 'invalid_grant', status: 400 })
    }
    const { config, callback, verifier } = await provider.authorize({ parameters: { dpop_jkt } })
    const DPoP = oidc.getDPoPHandle(config, keys)
    expect(await oidc.authorizationCodeGrant(config, callback, { pkceCodeVerifier: verifier }, {}, { DPoP })).toMatchObject({
      token_type: 'dpop',
    })
  })

  test('of a public client cannot be refreshed without its key [121]', async () => {
    const { config, callback, verifier } = await provider.authorize({ client: provider.publicClient })
    const DPoP = oidc.getDPoPHandle(config, await oidc.randomDPoPKeyPair())
    const first = await oidc.authorizationCodeGrant(config, callback, { pkceCodeVerifier: verifier }, {}, { DPoP })
    const token = first.refresh_token ?? ''
    expect((await refresh(provider.baseUrl, { client: provider.publicClient, token })).status).toBe(400)
    expect(await oidc.refreshTokenGrant(config, token, undefined, { DPoP })).toMatchObject({ token_type: 'dpop' })
  })

  test('the server replaces a stale nonce, and any replica accepts the new one [122]', async () => {
    const { keys, tokens } = await obtainBoundTokens()
    let token = tokens.refresh_token ?? ''
    for (let round = 0; round < 4; round++) {
      let nonce = 'stale'
      const DPoP = oauth.DPoP(client(), keys, {
        [oauth.modifyAssertion](_, payload) {
          payload['nonce'] = nonce
        },
      })
      const send = () => oauth.refreshTokenGrantRequest(server, client(), clientAuth(), token, { DPoP, ...insecure })
      const rejected = await send()
      expect(rejected.status).toBe(400)
      expect(await rejected.clone().json()).toMatchObject({ error: 'use_dpop_nonce', detail: expect.any(String) })
      nonce = rejected.headers.get('dpop-nonce') ?? ''
      expect(nonce).not.toBe('')
      // The gateway rotates over the replicas: the second of two requests goes to the other one.
      const accepted = await oauth.processRefreshTokenResponse(server, client(), await send())
      token = accepted.refresh_token ?? ''
    }
  })
})

async function expectChallenge(request: Promise<Response>): Promise<void> {
  const error: unknown = await request.catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(oauth.WWWAuthenticateChallengeError)
  expect(error).toMatchObject({ status: 401 })
}

describe('a pushed authorization request', () => {
  const pushRequest = async (parameters: Record<string, string> = {}) => {
    const config = await provider.configure()
    const { redirect_uri } = provider.confidential
    return oidc.buildAuthorizationUrlWithPAR(config, { redirect_uri, scope: 'openid', state: 'x', ...parameters })
  }

  test('returns a request URI that works once [123]', async () => {
    const fields = { response_type: 'code', redirect_uri: provider.confidential.redirect_uri, scope: 'openid' }
    const response = await postForm(endpoint('par'), { ...fields, ...authentication(provider.confidential) })
    expect(response).toMatchObject({ status: 201, body: { request_uri: expect.stringMatching(/^urn:/), expires_in: expect.any(Number) } })
    const url = await pushRequest({ sub_type: 'user' })
    expect([...url.searchParams.keys()].toSorted()).toEqual(['client_id', 'request_uri'])
    await provider.obtainTokens({ parameters: { sub_type: 'user' } })
    const { request_uri } = Object.fromEntries(url.searchParams)
    const { callback } = await provider.authorize({ parameters: toReferenceParameters(request_uri ?? '') })
    expect(callback.searchParams.get('code')).toMatch(/^qt_ac_/)
    const secondUse = await provider.newBrowser().get(url.href)
    expectRejected(secondUse, /^invalid_request_uri$/)
  })

  test('of another client, expired or unknown is rejected [123]', async () => {
    const foreign = (await pushRequest()).searchParams.get('request_uri') ?? ''
    const response = await provider.openAuthorizationPage({ ...toReferenceParameters(foreign), client_id: provider.publicClient.client_id })
    expectRejected(response, /^invalid_request_(uri|object)$/)
    const expired = await pushRequest()
    await provider.rows(
      `update short_lived_records set expires_at = now() - interval '1 second' where model = 'PushedAuthorizationRequest'`,
    )
    expectRejected(await provider.newBrowser().get(expired.href), /^invalid_request_uri$/)
    expectRejected(
      await provider.openAuthorizationPage(toReferenceParameters('urn:ietf:params:oauth:request_uri:none')),
      /^invalid_request_uri$/,
    )
  })

  test.each<[string, Record<string, string>, string]>([
    ['a redirect URI that is not registered', { redirect_uri: 'https://evil.example/' }, 'invalid_redirect_uri|invalid_request'],
    ['a scope that the client did not declare', { scope: 'openid products:write' }, 'invalid_scope'],
    ['an unknown scope', { scope: 'openid bogus' }, 'invalid_scope'],
    ['an unknown sub_type', { sub_type: 'bogus' }, 'invalid_request'],
    ['an unknown response type', { response_type: 'token' }, 'unsupported_response_type'],
    ['a request object', { request: 'e30.e30.' }, 'request_not_supported|invalid_request_object'],
  ])('with %s is rejected in JSON [124]', async (_, parameters, error) => {
    const { redirect_uri } = provider.confidential
    const fields = { response_type: 'code', redirect_uri, scope: 'openid', ...parameters, ...authentication(provider.confidential) }
    const { status, body } = await postForm(endpoint('par'), fields)
    expect(status).toBe(400)
    expect(body).toMatchObject({ error: expect.stringMatching(new RegExp(`^(${error})$`)), detail: expect.any(String) })
  })

  test('decides whether the tokens are for the user or an organization [124]', async () => {
    const url = await pushRequest({ sub_type: 'user' })
    const page = await provider.newBrowser().get(url.href)
    expect(page.status).toBe(200)
    const browser = provider.newBrowser()
    const consent = await browser.submit(
      await browser.get((await pushRequest({ sub_type: 'user', prompt: 'consent' })).href),
      { ...provider.person },
      '/sign-in',
    )
    expect(consent.body).toMatch(/to act as you in all your organizations\?|to know who you are\?/)
    expect(consent.body).not.toContain('organization_id')
  })
})

/** Returns the parameters of an authorization request that refers to a pushed one. */
function toReferenceParameters(request_uri: string): Record<string, string | null> {
  const omitted = ['response_type', 'redirect_uri', 'scope', 'code_challenge', 'code_challenge_method']
  return { ...Object.fromEntries(omitted.map((name) => [name, null])), request_uri }
}

function expectRejected({ url, status, body }: { url: URL; status: number; body: string }, error: RegExp): void {
  const code = url.searchParams.get('error') ?? /<code>(.*?)<\/code>/.exec(body)?.[1] ?? ''
  expect(code).toMatch(error)
  if (!url.searchParams.has('error')) expect(status).toBe(400)
}
