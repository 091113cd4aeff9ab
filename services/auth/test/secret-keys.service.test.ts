import { randomBytes } from 'node:crypto'
import { rotateSigningKeys } from '@quittance/contracts/auth'
import { openSecret, sealSecret } from '@quittance/runtime/encryption'
import { eventually } from '@quittance/testing/eventually'
import { authentication, postForm } from '@quittance/testing/oauth-client'
import { decodeProtectedHeader } from 'jose'
import { beforeEach, expect, test } from 'vitest'
import { registrationTokenContext } from '../src/clients/registration-token.ts'
import { totpContext } from '../src/second-factors/totp.ts'
import { startAuthorizationServer, type AuthorizationServerUnderTest } from './start-authorization-server.ts'
import { registerThirdParty } from './third-party.ts'

const operator = { kind: 'operator' } as const
const oldKey = Buffer.alloc(32, 7).toString('base64')
const newKey = randomBytes(32).toString('base64')

beforeEach(() => void (process.env['SECRETS_KEY'] = oldKey))

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

test('after a change of SECRETS_KEY everything stored opens with the new key alone, without a rotation', async () => {
  await using server = await startAuthorizationServer()
  const { rows } = server.service
  const client = await registerThirdParty(server)
  const key = Buffer.from(newKey, 'base64')
  const sealed = sealSecret('JBSWY3DP', { keys: [Buffer.from(oldKey, 'base64')], context: totpContext(server.person.id) })
  await rows(`insert into totp_secrets (account_id, secret_sealed, last_step) values ($1, $2, 1)`, [server.person.id, sealed])
  await server.service.call(rotateSigningKeys, { force: true }, operator)
  await restartWith(server, `${newKey},${oldKey}`)
  const read = async (columns: string, context: (id: string) => string) =>
    (await rows<{ id: string; sealed: string }>(`select ${columns}`)).map(({ id, sealed }) =>
      openSecret(sealed, { keys: [key], context: context(id) }),
    )
  await eventually(async () => {
    expect(await read(`account_id as id, secret_sealed as sealed from totp_secrets`, totpContext)).toEqual(['JBSWY3DP'])
    const tokens = await read(
      `client_id as id, registration_token_sealed as sealed from clients where registration_token_sealed is not null`,
      registrationTokenContext,
    )
    expect(tokens).toEqual([client.registration_access_token])
    expect(await read(`kid as id, private_key_sealed as sealed from signing_keys`, (kid) => kid)).toHaveLength(6)
  })
  const origin = await restartWith(server, newKey)
  await eventually(async () => {
    const text = await (await fetch(`${origin}/metrics`)).text()
    for (const column of ['signing_keys.private_key_sealed', 'totp_secrets.secret_sealed', 'clients.registration_token_sealed']) {
      expect(text).toMatch(new RegExp(`^secrets_under_old_keys{.*column="${column}".*} 0$`, 'm'))
    }
  })
})
