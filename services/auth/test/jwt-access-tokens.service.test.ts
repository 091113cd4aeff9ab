import { verifyGrant } from '@quittance/contracts/auth'
import { InvalidToken } from '@quittance/contracts/errors'
import { authentication, postForm, refresh } from '@quittance/testing/oauth-client'
import { decodeJwt } from 'jose'
import { expect, test } from 'vitest'
import { startAuthorizationServer } from './start-authorization-server.ts'
import { registerThirdParty } from './third-party.ts'

const resource = 'http://127.0.0.1:8080'
const anonymous = { kind: 'anonymous' } as const

async function startWithJwt() {
  const server = await startAuthorizationServer()
  const { refresh_token } = await server.authorize({ parameters: { resource } })
  const refreshForJwt = async (token: string) => {
    const fields = { grant_type: 'refresh_token', refresh_token: token, resource, ...authentication(server.client) }
    return (await postForm(`${server.origin}/v1/oauth2/token`, fields)).body as { access_token: string; refresh_token: string }
  }
  const first = await refreshForJwt(refresh_token)
  const second = await refreshForJwt(first.refresh_token)
  const post = (name: 'revoke' | 'introspect', token: string, client: Record<string, string> = authentication(server.client)) =>
    postForm(`${server.origin}/v1/oauth2/${name}`, { token, ...client })
  const verify = (jwt: string) => {
    const { grant_id, jti } = decodeJwt(jwt)
    return server.service.call(verifyGrant, { grant_id: String(grant_id), token_id: String(jti) }, anonymous)
  }
  return { server, first: first.access_token, second: second.access_token, refreshToken: second.refresh_token, post, verify }
}

test('introspects a JWT access token with subject, scope, audience and expiry (RFC 7662 §2.2)', async () => {
  const { server: started, first, post } = await startWithJwt()
  await using server = started
  const { exp, iat, jti } = decodeJwt(first)
  expect(await post('introspect', first)).toMatchObject({
    status: 200,
    body: {
      active: true,
      iss: resource,
      aud: resource,
      sub: server.person.id,
      client_id: server.client.client_id,
      scope: 'email orders:read',
      sub_type: 'organization',
      organization_id: server.organization.id,
      token_type: 'Bearer',
      exp,
      iat,
      jti,
    },
  })
})

test('revoking one JWT keeps the refresh token and other access tokens (RFC 7009 §2.1)', async () => {
  const { server: started, first, second, refreshToken, post, verify } = await startWithJwt()
  await using server = started
  await verify(first)
  expect(await post('revoke', first)).toMatchObject({ status: 200, body: {} })
  await expect(verify(first)).rejects.toThrow(InvalidToken)
  expect((await post('introspect', first)).body).toEqual({ active: false })
  expect((await verify(second)).caller).toMatchObject({ client_id: server.client.client_id })
  expect((await post('introspect', second)).body).toMatchObject({ active: true })
  expect(await post('revoke', first)).toMatchObject({ status: 200, body: {} })
  expect(await refresh(server.origin, { client: server.client, token: refreshToken })).toMatchObject({ status: 200 })
})

test('a JWT whose grant has ended, or that is altered, is inactive; revoking it is no error', async () => {
  const { server: started, first, second, refreshToken, post } = await startWithJwt()
  await using server = started
  const altered = `${first.slice(0, -4)}AAAA`
  expect((await post('introspect', altered)).body).toEqual({ active: false })
  expect(await post('revoke', altered)).toMatchObject({ status: 200 })
  expect((await post('introspect', first)).body).toMatchObject({ active: true })
  await post('revoke', refreshToken)
  for (const token of [first, second]) {
    expect((await post('introspect', token)).body).toEqual({ active: false })
    expect(await post('revoke', token)).toMatchObject({ status: 200 })
  }
  expect(await server.service.rows('select jti from revoked_jwt_access_tokens')).toEqual([])
})

test('another client can neither revoke nor introspect it, nor can an unauthenticated one', async () => {
  const { server: started, first, post, verify } = await startWithJwt()
  await using server = started
  const { client_id, client_secret = '' } = await registerThirdParty(server)
  const foreign = { client_id, client_secret }
  expect((await post('introspect', first, foreign)).body).toEqual({ active: false })
  expect(await post('revoke', first, foreign)).toMatchObject({ status: 200 })
  expect(await post('revoke', first, {})).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
  const wrong = { client_id: server.client.client_id, client_secret: 'wrong' }
  expect(await post('introspect', first, wrong)).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
  await verify(first)
})
