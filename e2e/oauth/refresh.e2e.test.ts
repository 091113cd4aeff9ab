import { authentication, postForm, refresh } from '@quittance/testing/oauth-client'
import { callApi } from '@quittance/testing/system'
import { decodeJwt } from 'jose'
import * as oidc from 'openid-client'
import { beforeAll, describe, expect, test } from 'vitest'
import { refusedWithin } from '@quittance/testing/refused-within'
import { joinProvider, type RunningProvider } from './provider.ts'

let provider: RunningProvider
let config: oidc.Configuration

beforeAll(async () => {
  provider = await joinProvider()
  config = await provider.configure()
})

const endpoint = (name: string) => `${provider.baseUrl}/v1/oauth2/${name}`

const renew = (token: string) => refresh(provider.baseUrl, { client: provider.confidential, token })

async function statusOfUserinfo(token: string): Promise<number> {
  return (await fetch(endpoint('userinfo'), { headers: { authorization: `Bearer ${token}` } })).status
}

const invalidGrant = { status: 400, body: { error: 'invalid_grant', error_description: expect.any(String), detail: expect.any(String) } }

describe('a refresh token', () => {
  test('gives a new access token, another refresh token, the same scope and the same person (94)', async () => {
    const first = await provider.tokens({ parameters: { scope: 'openid email', nonce: 'n-1' } })
    const second = await oidc.refreshTokenGrant(config, first.refresh_token)
    expect(second.access_token).not.toBe(first.access_token)
    expect(second.refresh_token).toMatch(/^qt_rt_/)
    expect(second.refresh_token).not.toBe(first.refresh_token)
    expect(second.scope).toBe('openid email')
    expect(second.claims()?.sub).toBe(first.claims()?.sub)
    expect([undefined, 'n-1']).toContain(second.claims()?.nonce)
    expect(await statusOfUserinfo(second.access_token)).toBe(200)
  })

  test.each(['openid email', 'openid bogus'])('is not used up by asking for more: %s (96)', async (scope) => {
    const { refresh_token } = await provider.tokens()
    const wider = { grant_type: 'refresh_token', refresh_token, scope, ...authentication(provider.confidential) }
    expect(await postForm(endpoint('token'), wider)).toMatchObject({ status: 400, body: { error: 'invalid_scope' } })
    expect(await renew(refresh_token)).toMatchObject({ status: 200 })
  })

  test('can ask for less (96)', async () => {
    const { refresh_token } = await provider.tokens({ parameters: { scope: 'openid email' } })
    expect(await oidc.refreshTokenGrant(config, refresh_token, { scope: 'openid' })).toMatchObject({ scope: 'openid' })
  })

  test('that was used before is theft: the newest one and its access token stop working too (97)', async () => {
    const { refresh_token: old } = await provider.tokens()
    const newest = await oidc.refreshTokenGrant(config, old)
    expect(await renew(old)).toMatchObject(invalidGrant)
    expect(await renew(newest.refresh_token ?? '')).toMatchObject(invalidGrant)
    expect(await statusOfUserinfo(newest.access_token)).toBe(401)
  })

  test('that is exchanged ten times at once succeeds exactly once (98)', async () => {
    const { refresh_token } = await provider.tokens()
    const answers = await Promise.all(Array.from({ length: 10 }, () => renew(refresh_token)))
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, ...Array.from({ length: 9 }, () => 400)])
  })

  test('that has expired is invalid_grant (97)', async () => {
    const { refresh_token } = await provider.tokens()
    const hash = Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from(refresh_token))).toString('hex')
    await provider.rows(`update refresh_tokens set expires_at = now() - interval '1 second' where token_hash = $1`, [hash])
    expect(await renew(refresh_token)).toMatchObject(invalidGrant)
  })

  test('of a confidential client needs the client’s secret (100)', async () => {
    const { refresh_token } = await provider.tokens()
    const { client_id } = provider.confidential
    for (const fields of [{ client_id }, {}, { client_id, client_secret: 'wrong' }]) {
      const answer = await postForm(endpoint('token'), { grant_type: 'refresh_token', refresh_token, ...fields } as Record<string, string>)
      expect(answer).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
    }
    expect(await renew(refresh_token)).toMatchObject({ status: 200 })
  })

  test('of another client is invalid_grant, and stays good for its own (100)', async () => {
    const { refresh_token } = await provider.tokens()
    const { client_id } = provider.open
    expect(await postForm(endpoint('token'), { grant_type: 'refresh_token', refresh_token, client_id })).toMatchObject(invalidGrant)
    expect(await renew(refresh_token)).toMatchObject({ status: 200 })
  })

  test('works again after a fault of the server in the middle of an exchange (101)', async () => {
    const { refresh_token } = await provider.tokens()
    await provider.rows('alter table oauth_access_tokens rename to gone')
    const failed = await renew(refresh_token)
    await provider.rows('alter table gone rename to oauth_access_tokens')
    expect(failed).toMatchObject({ status: 500, body: { error: 'server_error' } })
    expect(JSON.stringify(failed.body)).not.toMatch(/gone|oauth_access|relation/)
    expect(await renew(refresh_token)).toMatchObject({ status: 200 })
  })

  test('keeps its organization over every exchange (102)', async () => {
    const { organization, second_organization, paid_order_id } = provider.system.demo
    let { refresh_token: token } = await provider.tokens({
      parameters: { scope: 'openid orders:read' },
      answer: { action: 'allow', organization_id: second_organization.id },
    })
    for (let round = 0; round < 3; round++) {
      const tokens = await oidc.refreshTokenGrant(config, token)
      token = tokens.refresh_token ?? ''
      expect(decodeJwt(tokens.id_token ?? '')).toMatchObject({ organization_id: second_organization.id })
      expect(await oidc.tokenIntrospection(config, tokens.access_token)).toMatchObject({ organization_id: second_organization.id })
      const foreign = await callApi(`${provider.baseUrl}/v1/orders/${paid_order_id}`, { method: 'GET', token: tokens.access_token })
      expect(foreign.status, `an order of ${organization.slug}`).toBe(404)
    }
  })
})

describe('revocation', () => {
  test('of a refresh token is answered with nothing and ends the family (103)', async () => {
    const { access_token, refresh_token } = await provider.tokens()
    const answer = await postForm(endpoint('revoke'), { token: refresh_token, ...authentication(provider.confidential) })
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({})
    expect(await renew(refresh_token)).toMatchObject(invalidGrant)
    expect(await statusOfUserinfo(access_token)).toBe(401)
  })

  test('of an access token ends that one, and the refresh token stays good (104)', async () => {
    const { access_token, refresh_token } = await provider.tokens()
    await oidc.tokenRevocation(config, access_token, { token_type_hint: 'access_token' })
    expect(await statusOfUserinfo(access_token)).toBe(401)
    expect(await renew(refresh_token)).toMatchObject({ status: 200 })
  })

  test('of an unknown token succeeds, as nothing is left to do (104)', async () => {
    await expect(oidc.tokenRevocation(config, 'qt_rt_unknown')).resolves.toBeUndefined()
  })

  test('without a token is invalid_request, without client authentication invalid_client (106)', async () => {
    const none = await postForm(endpoint('revoke'), authentication(provider.confidential))
    expect(none).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
    const { refresh_token } = await provider.tokens()
    const { client_id } = provider.confidential
    for (const fields of [{}, { client_id }, { client_id, client_secret: 'wrong' }]) {
      const refused = await postForm(endpoint('revoke'), { token: refresh_token, ...fields } as Record<string, string>)
      expect(refused).toMatchObject({ status: 401, body: { error: 'invalid_client', detail: expect.any(String) } })
    }
    expect(await renew(refresh_token)).toMatchObject({ status: 200 })
  })

  test('of a token of another client changes nothing (106)', async () => {
    const { refresh_token } = await provider.tokens()
    await postForm(endpoint('revoke'), { token: refresh_token, client_id: provider.open.client_id })
    expect(await renew(refresh_token)).toMatchObject({ status: 200 })
  })

  test('by a public client takes its id alone (108)', async () => {
    const { refresh_token } = await provider.tokens({ client: provider.open })
    await oidc.tokenRevocation(await provider.configure(provider.open), refresh_token)
    const answer = await refresh(provider.baseUrl, { client: provider.open, token: refresh_token })
    expect(answer).toMatchObject(invalidGrant)
  })

  test('of one authorization leaves another one of the same person and client alive (109)', async () => {
    const [first, second] = [await provider.tokens(), await provider.tokens()]
    await oidc.tokenRevocation(config, first.refresh_token)
    expect(await statusOfUserinfo(second.access_token)).toBe(200)
    expect(await renew(second.refresh_token)).toMatchObject({ status: 200 })
  })

  test.each(['access_token', 'refresh_token'] as const)('of an %s is known to the API within a second (110)', async (kind) => {
    const tokens = await provider.tokens({ parameters: { scope: 'orders:read' } })
    const orders = () => callApi(`${provider.baseUrl}/v1/orders/`, { method: 'GET', token: tokens.access_token })
    expect((await orders()).status).toBe(200)
    await oidc.tokenRevocation(config, tokens[kind])
    await refusedWithin(1_000, orders)
  })
})

describe('introspection', () => {
  test('of an active access token tells for whom, for what and until when (111)', async () => {
    const tokens = await provider.tokens({ parameters: { scope: 'openid email' } })
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

  test('needs a client that authenticates itself; of foreign tokens it says nothing but that they are not active (113)', async () => {
    const { access_token: token } = await provider.tokens({ client: provider.open })
    for (const fields of [{}, { client_id: provider.confidential.client_id }]) {
      const refused = await postForm(endpoint('introspect'), { token, ...fields } as Record<string, string>)
      expect(refused).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
    }
    expect(await oidc.tokenIntrospection(config, token)).toEqual({ active: false })
    expect(await oidc.tokenIntrospection(config, 'qt_at_unknown')).toEqual({ active: false })
  })

  test('of a refresh token says that it is active, and no token type (114)', async () => {
    const { refresh_token } = await provider.tokens()
    const told = await oidc.tokenIntrospection(config, refresh_token)
    expect(told).toMatchObject({ active: true, client_id: provider.confidential.client_id })
    expect(told).not.toHaveProperty('token_type')
  })

  test('says that a revoked or used-up token is not active (111)', async () => {
    const { access_token, refresh_token } = await provider.tokens()
    const { body } = await renew(refresh_token)
    expect(await oidc.tokenIntrospection(config, refresh_token)).toEqual({ active: false })
    expect(await oidc.tokenIntrospection(config, access_token)).toMatchObject({ active: true })
    await oidc.tokenRevocation(config, body.refresh_token)
    expect(await oidc.tokenIntrospection(config, access_token)).toEqual({ active: false })
  })
})
