import { Polar } from '@polar-sh/sdk'
import { ResourceNotFound } from '@polar-sh/sdk/models/errors/resourcenotfound.js'
import { ResponseValidationError } from '@polar-sh/sdk/models/errors/responsevalidationerror.js'
import { SDKError } from '@polar-sh/sdk/models/errors/sdkerror.js'
import { createBrowser } from '@quittance/testing/browser'
import { authorizationUrl, readAuthorizationCode, completeInteraction } from '@quittance/testing/oauth-client'
import { useSharedSystem } from '@quittance/testing/use-shared-system'
import type { RunningSystem } from '@quittance/testing/system'
import { beforeAll, describe, expect, test } from 'vitest'

let system: RunningSystem
/** The client with a personal access token. */
let polar: Polar

beforeAll(async () => {
  system = await useSharedSystem()
  polar = connect(system.demo.personal_access_token)
})

function connect(accessToken?: string): Polar {
  return new Polar({ serverURL: system.readReadyFile().base_url, ...(accessToken && { accessToken }) })
}

async function authorizationCode(scope: string, parameters: Record<string, string> = {}): Promise<string> {
  const { auth_url, base_url } = system.readReadyFile()
  const { user, organization, oauth_client } = system.demo
  const browser = createBrowser([auth_url, base_url])
  const { client_id, redirect_uri } = oauth_client
  const page = await browser.get(authorizationUrl(auth_url, { client_id, redirect_uri, scope, ...parameters }))
  return readAuthorizationCode(
    await completeInteraction(browser, page, { person: user, answer: { action: 'allow', organization_id: organization.id } }),
  )
}

const credentials = () => ({ clientId: system.demo.oauth_client.client_id, clientSecret: system.demo.oauth_client.client_secret })

async function tokens(scope: string, parameters?: Record<string, string>) {
  const code = await authorizationCode(scope, parameters)
  return connect().oauth2.token({ ...credentials(), code, redirectUri: system.demo.oauth_client.redirect_uri })
}

/** Returns the error of a call that the client reports as failed; null if it succeeds. */
async function failure(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => null,
    (error: unknown) => error,
  )
}

describe('the unmodified official client', () => {
  test('exchanges codes and refresh tokens, and reads orders and userinfo with the tokens', async () => {
    const first = await tokens('openid email orders:read')
    expect(first).toMatchObject({ tokenType: 'Bearer', scope: 'openid email orders:read', expiresIn: 3600, idToken: expect.any(String) })
    const second = await connect().oauth2.token({ ...credentials(), refreshToken: first.refreshToken ?? '' })
    expect(second.accessToken).not.toBe(first.accessToken)
    expect(second.idToken).toEqual(expect.any(String))
    const client = connect(second.accessToken)
    expect(await client.oauth2.userinfo()).toMatchObject({ sub: expect.any(String) })
    const orders = await client.orders.list({})
    expect(orders.result.items.map(({ id }) => id)).toContain(system.demo.paid_order_id)
  })

  test('revokes a token, which is then rejected', async () => {
    const { accessToken } = await tokens('openid orders:read')
    await connect().oauth2.revoke({ ...credentials(), token: accessToken })
    expect(await failure(connect(accessToken).orders.list({}))).toMatchObject({ statusCode: 401 })
  })

  test('receives the token type of the RFC at introspection, not the value it expects', async () => {
    const { accessToken } = await tokens('openid')
    const error = await failure(connect().oauth2.introspect({ ...credentials(), token: accessToken }))
    expect(error).toBeInstanceOf(ResponseValidationError)
    expect(JSON.parse((error as ResponseValidationError).body)).toMatchObject({ active: true, token_type: 'Bearer' })
  })

  test('creates (with the 201 of the RFC as an error), lists, reads, changes and deletes a client', async () => {
    const registration = { clientName: 'Made by the client', redirectUris: ['https://app.example/callback'], scope: 'openid' }
    const created = await failure(polar.oauth2.clients.create(registration))
    expect(created).toBeInstanceOf(SDKError)
    expect(created).toMatchObject({ statusCode: 201 })
    const clients = []
    for await (const page of await polar.oauth2.clients.list({})) clients.push(...page.result.items)
    const made = clients.find(({ clientName }) => clientName === 'Made by the client')
    if (!made) throw new Error('the client is not listed')
    expect(made).toMatchObject({ scope: 'openid', redirectUris: registration.redirectUris, tokenEndpointAuthMethod: 'client_secret_post' })
    const { clientId } = made
    expect(await polar.oauth2.clients.get({ clientId })).toMatchObject({ client_id: clientId, client_name: 'Made by the client' })
    const update = { ...registration, clientId, clientName: 'Renamed' }
    expect(await polar.oauth2.clients.update({ clientId, oAuth2ClientConfigurationUpdate: update })).toMatchObject({
      client_name: 'Renamed',
    })
    const deleted = await failure(polar.oauth2.clients.delete({ clientId }))
    expect(deleted).toBeInstanceOf(SDKError)
    expect(deleted).toMatchObject({ statusCode: 204 })
    expect(await failure(polar.oauth2.clients.get({ clientId }))).toMatchObject({ statusCode: 401 })
  })

  test('creates, reads, changes and lists organizations with a personal or OAuth token', async () => {
    const organization = await polar.organizations.create({ name: 'Made by the client', slug: 'made-by-the-client' })
    // The very next request with the same token can access the new organization.
    const read = await polar.organizations.get({ id: organization.id })
    expect(read).toEqual(organization)
    const changed = await polar.organizations.update({ id: organization.id, organizationUpdate: { name: 'Renamed' } })
    expect(changed).toMatchObject({ name: 'Renamed', slug: 'made-by-the-client' })
    const page = await polar.organizations.list({ slug: 'made-by-the-client' })
    expect(page.result.items).toEqual([changed])
    const { accessToken } = await tokens('openid organizations:read')
    const own = connect(accessToken)
    expect((await own.organizations.list({})).result.items.map(({ id }) => id)).toEqual([system.demo.organization.id])
    expect(await failure(own.organizations.get({ id: organization.id }))).toBeInstanceOf(ResourceNotFound)
  })
})
