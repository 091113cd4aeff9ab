import { createHash, createPrivateKey, generateKeyPairSync, randomUUID, sign } from 'node:crypto'
import { verifyToken } from '@quittance/contracts/auth'
import { hashToken } from '@quittance/runtime/credential'
import { authentication, authorizationUrl, readAuthorizationCode, completeInteraction, postForm } from '@quittance/testing/oauth-client'
import { expect, test } from 'vitest'
import { startAuthorizationServer, type AuthorizationServerUnderTest } from './start-authorization-server.ts'

const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const jwk = keys.publicKey.export({ format: 'jwk' })
const thumbprint = createHash('sha256')
  .update(JSON.stringify({ crv: jwk.crv, kty: jwk.kty, x: jwk.x, y: jwk.y }))
  .digest('base64url')

/** Creates a proof of possession (RFC 9449 §4.2). Its host is the one that the service sees as its own. */
function proof(htu: string): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const claims = { jti: randomUUID(), htm: 'POST', htu, iat: Math.floor(Date.now() / 1000) }
  const text = `${part({ typ: 'dpop+jwt', alg: 'ES256', jwk })}.${part(claims)}`
  const key = createPrivateKey(keys.privateKey.export({ type: 'pkcs8', format: 'pem' }))
  return `${text}.${sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`
}

async function redeemWithProof(server: AuthorizationServerUnderTest) {
  const { client, origin, scope, person } = server
  const browser = server.newBrowser()
  const parameters = { client_id: client.client_id, redirect_uri: client.redirect_uri, scope, sub_type: 'user' }
  const first = await browser.get(authorizationUrl(origin, parameters))
  const code = readAuthorizationCode(await completeInteraction(browser, first, { person, answer: { action: 'allow' } }))
  const fields = { grant_type: 'authorization_code', code, redirect_uri: client.redirect_uri, ...authentication(client) }
  return postForm(`${origin}/v1/oauth2/token`, fields, { dpop: proof(`${origin}/v1/oauth2/token`) })
}

test('a family begun with a proof of possession requires one, also for clients with a secret', async () => {
  await using server = await startAuthorizationServer()
  const { status, body } = await redeemWithProof(server)
  expect({ status, token_type: body.token_type }).toEqual({ status: 200, token_type: 'DPoP' })
  const { confirmation } = await server.service.call(verifyToken, { hash: hashToken(body.access_token) }, { kind: 'anonymous' })
  expect(confirmation).toEqual({ jkt: thumbprint })
  const url = `${server.origin}/v1/oauth2/token`
  const fields = { grant_type: 'refresh_token', refresh_token: body.refresh_token, ...authentication(server.client) }
  expect(await postForm(url, fields)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  const refreshed = await postForm(url, fields, { dpop: proof(url) })
  expect(refreshed).toMatchObject({ status: 200, body: { token_type: 'DPoP' } })
  const again = { ...fields, refresh_token: refreshed.body.refresh_token }
  expect(await postForm(url, again)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
})

test('a proof is accepted once across all replicas', async () => {
  await using server = await startAuthorizationServer()
  const { body } = await redeemWithProof(server)
  const url = `${server.origin}/v1/oauth2/token`
  const fields = { grant_type: 'refresh_token', refresh_token: body.refresh_token, ...authentication(server.client) }
  const once = proof(url)
  const first = await postForm(url, fields, { dpop: once })
  expect(first.status).toBe(200)
  const second = await postForm(url, { ...fields, refresh_token: first.body.refresh_token }, { dpop: once })
  expect(second.status).toBe(400)
  expect(await postForm(url, { ...fields, refresh_token: first.body.refresh_token }, { dpop: proof(url) })).toMatchObject({ status: 200 })
})
