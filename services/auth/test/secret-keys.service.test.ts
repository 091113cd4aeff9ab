import { randomBytes } from 'node:crypto'
import { rotateSigningKeys } from '@quittance/contracts/auth'
import { authentication, postForm } from '@quittance/testing/oauth-client'
import { decodeProtectedHeader } from 'jose'
import { expect, test } from 'vitest'
import { startAuthorizationServer, type AuthorizationServerUnderTest } from './start-authorization-server.ts'

const operator = { kind: 'operator' } as const
const oldKey = process.env['SECRETS_KEY'] ?? ''
const newKey = randomBytes(32).toString('base64')

async function restartWith(server: AuthorizationServerUnderTest, keys: string) {
  process.env['SECRETS_KEY'] = keys
  await server.service.restart()
  return `http://127.0.0.1:${server.service.healthPort()}`
}

test('starts with the new SECRETS_KEY alone after two rotations of the signing keys; retired ones verify', async () => {
  await using server = await startAuthorizationServer()
  const resource = 'http://127.0.0.1:8080'
  const { id_token, refresh_token } = await server.authorize({ parameters: { resource } })
  const fields = { grant_type: 'refresh_token', refresh_token, resource, ...authentication(server.client) }
  const { access_token } = (await postForm(`${server.origin}/v1/oauth2/token`, fields)).body as { access_token: string }
  await restartWith(server, `${newKey},${oldKey}`)
  for (let rotation = 0; rotation < 2; rotation++) await server.service.call(rotateSigningKeys, { force: true }, operator)
  await server.service.rows(`update signing_keys set private_key_sealed = 'damaged' where state = 'retired'`)
  const origin = await restartWith(server, newKey)
  const { keys } = (await (await fetch(`${origin}/.well-known/jwks.json`)).json()) as { keys: { kid: string }[] }
  const kids = keys.map(({ kid }) => kid)
  expect(kids).toEqual(expect.arrayContaining([id_token, access_token].map((token) => decodeProtectedHeader(token).kid)))
  expect(kids).toHaveLength(8)
  expect(JSON.stringify(keys)).not.toMatch(/"(d|p|q|dp|dq|qi)":/)
  const introspected = await postForm(`${origin}/v1/oauth2/introspect`, { token: access_token, ...authentication(server.client) })
  expect(introspected).toMatchObject({ status: 200, body: { active: true } })
  expect((await fetch(`${origin}/oauth2/logout?id_token_hint=${id_token}`)).status).toBe(200)
  const forged = `${id_token.slice(0, -8)}AAAAAAAA`
  expect((await fetch(`${origin}/oauth2/logout?id_token_hint=${forged}`)).status).toBe(400)
})
