import { authentication, postForm, refresh } from '@quittance/testing/oauth-client'
import { callApi } from '@quittance/testing/system'
import { decodeJwt } from 'jose'
import * as oidc from 'openid-client'
import { beforeAll, describe, expect, test } from 'vitest'
import { waitUntilRejected } from '@quittance/testing/wait-until-rejected'
import { useSharedProvider, type RunningProvider } from './provider.ts'

let provider: RunningProvider
let config: oidc.Configuration

beforeAll(async () => {
  provider = await useSharedProvider()
  config = await provider.configure()
})

const endpoint = (name: string) => `${provider.baseUrl}/v1/oauth2/${name}`

const exchangeRefreshToken = (token: string) => refresh(provider.baseUrl, { client: provider.confidential, token })

async function readUserinfoStatus(token: string): Promise<number> {
  return (await fetch(endpoint('userinfo'), { headers: { authorization: `Bearer ${token}` } })).status
}

const invalidGrant = { status: 400, body: { error: 'invalid_grant', error_description: expect.any(String), detail: expect.any(String) } }

describe('a refresh token', () => {
  test('returns a new access token, a new refresh token, the same scope and the same user [94]', async () => {
    const first = await provider.obtainTokens({ parameters: { scope: 'openid email', nonce: 'n-1' } })
    const second = await oidc.refreshTokenGrant(config, first.refresh_token)
    expect(second.access_token).not.toBe(first.access_token)
    expect(second.refresh_token).toMatch(/^qt_rt_/)
    expect(second.refresh_token).not.toBe(first.refresh_token)
    expect(second.scope).toBe('openid email')
    expect(second.claims()?.sub).toBe(first.claims()?.sub)
    expect([undefined, 'n-1']).toContain(second.claims()?.nonce)
    expect(await readUserinfoStatus(second.access_token)).toBe(200)
  })

  test.each(['openid email', 'openid bogus'])('is not consumed by requesting a wider scope: %s [96]', async (scope) => {
    const { refresh_token } = await provider.obtainTokens()
    const wider = { grant_type: 'refresh_token', refresh_token, scope, ...authentication(provider.confidential) }
    expect(await postForm(endpoint('token'), wider)).toMatchObject({ status: 400, body: { error: 'invalid_scope' } })
    expect(await exchangeRefreshToken(refresh_token)).toMatchObject({ status: 200 })
  })

  test('can request a narrower scope [96]', async () => {
    const { refresh_token } = await provider.obtainTokens({ parameters: { scope: 'openid email' } })
    expect(await oidc.refreshTokenGrant(config, refresh_token, { scope: 'openid' })).toMatchObject({ scope: 'openid' })
  })

  test('that is reused counts as theft: the newest one and its access token are revoked too [97]', async () => {
    const { refresh_token: old } = await provider.obtainTokens()
    const { refresh_token: next = '' } = await oidc.refreshTokenGrant(config, old)
    const newest = await oidc.refreshTokenGrant(config, next)
    expect(await exchangeRefreshToken(old)).toMatchObject(invalidGrant)
    expect(await exchangeRefreshToken(newest.refresh_token ?? '')).toMatchObject(invalidGrant)
    expect(await readUserinfoStatus(newest.access_token)).toBe(401)
  })

  test('exchanged ten times concurrently succeeds exactly once [98]', async () => {
    const { refresh_token } = await provider.obtainTokens()
    const responses = await Promise.all(Array.from({ length: 10 }, () => exchangeRefreshToken(refresh_token)))
    expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, ...Array.from({ length: 9 }, () => 400)])
  })

  test('that has expired is invalid_grant [97]', async () => {
    const { refresh_token } = await provider.obtainTokens()
    const hash = Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from(refresh_token))).toString('hex')
    await provider.rows(`update refresh_tokens set expires_at = now() - interval '1 second' where token_hash = $1`, [hash])
    expect(await exchangeRefreshToken(refresh_token)).toMatchObject(invalidGrant)
  })

  test('of a confidential client requires the client’s secret [100]', async () => {
    const { refresh_token } = await provider.obtainTokens()
    const { client_id } = provider.confidential
    for (const fields of [{ client_id }, {}, { client_id, client_secret: 'wrong' }]) {
      const response = await postForm(endpoint('token'), { grant_type: 'refresh_token', refresh_token, ...fields } as Record<
        string,
        string
      >)
      expect(response).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
    }
    expect(await exchangeRefreshToken(refresh_token)).toMatchObject({ status: 200 })
  })

  test('of another client is invalid_grant and stays valid for its own client [100]', async () => {
    const { refresh_token } = await provider.obtainTokens()
    const { client_id } = provider.publicClient
    expect(await postForm(endpoint('token'), { grant_type: 'refresh_token', refresh_token, client_id })).toMatchObject(invalidGrant)
    expect(await exchangeRefreshToken(refresh_token)).toMatchObject({ status: 200 })
  })

  test('stays valid after an internal error during an exchange [101]', async () => {
    const { refresh_token } = await provider.obtainTokens()
    await provider.rows('alter table oauth_access_tokens rename to gone')
    const failed = await exchangeRefreshToken(refresh_token)
    await provider.rows('alter table gone rename to oauth_access_tokens')
    expect(failed).toMatchObject({ status: 500, body: { error: 'server_error' } })
    expect(JSON.stringify(failed.body)).not.toMatch(/gone|oauth_access|relation/)
    expect(await exchangeRefreshToken(refresh_token)).toMatchObject({ status: 200 })
  })

  test('keeps its organization in every exchange [102]', async () => {
    const { organization, second_organization, paid_order_id } = provider.system.demo
    let { refresh_token: token } = await provider.obtainTokens({
      parameters: { scope: 'openid orders:read' },
      answer: { action: 'allow', organization_id: second_organization.id },
    })
    for (let round = 0; round < 3; round++) {
      const tokens = await oidc.refreshTokenGrant(config, token)
      token = tokens.refresh_token ?? ''
      expect(decodeJwt(tokens.id_token ?? '')).toMatchObject({ organization_id: second_organization.id })
      expect(await oidc.tokenIntrospection(config, tokens.access_token)).toMatchObject({ organization_id: second_organization.id })
      const foreignOrder = await callApi(`${provider.baseUrl}/v1/orders/${paid_order_id}`, { method: 'GET', token: tokens.access_token })
      expect(foreignOrder.status, `an order of ${organization.slug}`).toBe(404)
    }
  })
})

describe('revocation', () => {
  test('of a refresh token returns an empty body and revokes the family [103]', async () => {
    const { access_token, refresh_token } = await provider.obtainTokens()
    const response = await postForm(endpoint('revoke'), { token: refresh_token, ...authentication(provider.confidential) })
    expect(response.status).toBe(200)
    expect(response.body).toEqual({})
    expect(await exchangeRefreshToken(refresh_token)).toMatchObject(invalidGrant)
    expect(await readUserinfoStatus(access_token)).toBe(401)
  })

  test('of an access token revokes only that token; the refresh token stays valid [104]', async () => {
    const { access_token, refresh_token } = await provider.obtainTokens()
    await oidc.tokenRevocation(config, access_token, { token_type_hint: 'access_token' })
    expect(await readUserinfoStatus(access_token)).toBe(401)
    expect(await exchangeRefreshToken(refresh_token)).toMatchObject({ status: 200 })
  })

  test('of an unknown token succeeds without effect [104]', async () => {
    await expect(oidc.tokenRevocation(config, 'qt_rt_unknown')).resolves.toBeUndefined()
  })

  test('without a token is invalid_request, without client authentication invalid_client [106]', async () => {
    const none = await postForm(endpoint('revoke'), authentication(provider.confidential))
    expect(none).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
    const { refresh_token } = await provider.obtainTokens()
    const { client_id } = provider.confidential
    for (const fields of [{}, { client_id }, { client_id, client_secret: 'wrong' }]) {
      const rejected = await postForm(endpoint('revoke'), { token: refresh_token, ...fields } as Record<string, string>)
      expect(rejected).toMatchObject({ status: 401, body: { error: 'invalid_client', detail: expect.any(String) } })
    }
    expect(await exchangeRefreshToken(refresh_token)).toMatchObject({ status: 200 })
  })

  test('of a token of another client changes nothing [106]', async () => {
    const { refresh_token } = await provider.obtainTokens()
    await postForm(endpoint('revoke'), { token: refresh_token, client_id: provider.publicClient.client_id })
    expect(await exchangeRefreshToken(refresh_token)).toMatchObject({ status: 200 })
  })

  test('by a public client requires only its id [108]', async () => {
    const { refresh_token } = await provider.obtainTokens({ client: provider.publicClient })
    await oidc.tokenRevocation(await provider.configure(provider.publicClient), refresh_token)
    const response = await refresh(provider.baseUrl, { client: provider.publicClient, token: refresh_token })
    expect(response).toMatchObject(invalidGrant)
  })

  test('of one authorization does not affect another one of the same user and client [109]', async () => {
    const [first, second] = [await provider.obtainTokens(), await provider.obtainTokens()]
    await oidc.tokenRevocation(config, first.refresh_token)
    expect(await readUserinfoStatus(second.access_token)).toBe(200)
    expect(await exchangeRefreshToken(second.refresh_token)).toMatchObject({ status: 200 })
  })

  test.each(['access_token', 'refresh_token'] as const)('of an %s takes effect in the API within a second [110]', async (kind) => {
    const tokens = await provider.obtainTokens({ parameters: { scope: 'orders:read' } })
    const orders = () => callApi(`${provider.baseUrl}/v1/orders/`, { method: 'GET', token: tokens.access_token })
    expect((await orders()).status).toBe(200)
    await oidc.tokenRevocation(config, tokens[kind])
    await waitUntilRejected(1_000, orders)
  })
})

describe('introspection', () => {
  test('of an active access token returns its subject, scope and expiry [111]', async () => {
    const tokens = await provider.obtainTokens({ parameters: { scope: 'openid email' } })
    expect(await oidc.tokenIntrospection(config, tokens.access_token)).toEqual({
      active: true,
      scope: 'openid email',
      client_id: provider.confidential.client_id,
      sub: tokens.claims()?.sub,
      iss: provider.baseUrl,
      exp: expect.any(Number),
      iat: expect.any(Number),
      token_type: 'Bearer',
      sub_type: 'organization',
      organization_id: provider.organizationId,
    })
  })

  test('requires client authentication and reports tokens of other clients as inactive [113]', async () => {
    const { access_token: token } = await provider.obtainTokens({ client: provider.publicClient })
    for (const fields of [{}, { client_id: provider.confidential.client_id }]) {
      const rejected = await postForm(endpoint('introspect'), { token, ...fields } as Record<string, string>)
      expect(rejected).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
    }
    expect(await oidc.tokenIntrospection(config, token)).toEqual({ active: false })
    expect(await oidc.tokenIntrospection(config, 'qt_at_unknown')).toEqual({ active: false })
  })

  test('of a refresh token reports it as active, without a token type [114]', async () => {
    const { refresh_token } = await provider.obtainTokens()
    const introspection = await oidc.tokenIntrospection(config, refresh_token)
    expect(introspection).toMatchObject({ active: true, client_id: provider.confidential.client_id })
    expect(introspection).not.toHaveProperty('token_type')
  })

  test('reports revoked and used tokens as inactive [111]', async () => {
    const { access_token, refresh_token } = await provider.obtainTokens()
    const { body } = await exchangeRefreshToken(refresh_token)
    expect(await oidc.tokenIntrospection(config, refresh_token)).toEqual({ active: false })
    expect(await oidc.tokenIntrospection(config, access_token)).toMatchObject({ active: true })
    await oidc.tokenRevocation(config, body.refresh_token)
    expect(await oidc.tokenIntrospection(config, access_token)).toEqual({ active: false })
  })
})
