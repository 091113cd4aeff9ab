import { randomBytes } from 'node:crypto'
import { eventually } from '@quittance/testing/eventually'
import { callApi, type ApiResponse } from '@quittance/testing/system'
import { beforeAll, expect, test } from 'vitest'
import { useSharedProvider, type RunningProvider } from './oauth/provider.ts'

let provider: RunningProvider

beforeAll(async () => {
  provider = await useSharedProvider()
})

/** A user with their own organization, in which a customer has the external id `shared`. */
interface Seller {
  email: string
  password: string
  userId: string
  organizationId: string
  customerId: string
  /** Creates a personal access token; `only` restricts it to organizations. */
  token(scopes: string, only?: string): Promise<string>
}

async function createSeller(name: string): Promise<Seller> {
  const slug = `${name}-${randomBytes(4).toString('hex')}`
  const [email, password] = [`${slug}@example.com`, 'correct horse']
  const account = ['account', 'create', '--email', email, '--password', password, '--email-verified']
  const { id: userId } = await provider.runOperatorCommand<{ id: string }>(...account)
  const organization = ['organization', 'create', '--name', `The ${name}`, '--slug', slug, '--owner', userId]
  const { id: organizationId } = await provider.runOperatorCommand<{ id: string }>(...organization)
  const token = async (scopes: string, only?: string) => {
    const command = ['token', 'create', '--owner', userId, '--scopes', scopes, ...(only ? ['--only', only] : [])]
    return (await provider.runOperatorCommand<{ token: string }>(...command)).token
  }
  const customer = { organization_id: organizationId, email: `customer@${slug}.example.com`, external_id: 'shared' }
  const writeToken = await token('customers:write')
  const created = await eventually(async () => {
    const response = await callWith(writeToken)('POST', '/v1/customers/', customer)
    if (response.status !== 201) throw new Error(JSON.stringify(response.body))
    return response.body
  })
  return { email, password, userId, organizationId, customerId: created.id, token }
}

/** Returns a function that calls the API with a token. */
function callWith(token: string) {
  return (method: string, path: string, body?: unknown): Promise<ApiResponse> =>
    callApi(`${provider.baseUrl}${path}`, { method, token, body })
}

/** Returns the ids of visible organizations, and the status of a lookup that becomes ambiguous with a second visible organization. */
async function readVisible(token: string): Promise<unknown> {
  const { body } = await callWith(token)('GET', '/v1/organizations/')
  const { status } = await callWith(token)('GET', '/v1/customers/external/shared')
  return { organizations: body.items.map(({ id }: { id: string }) => id), external: status }
}

test('inviting a user changes nothing for them until they accept [12]', async () => {
  const [victim, intruder] = [await createSeller('victim'), await createSeller('intruder')]
  const readToken = await victim.token('organizations:read,customers:read')
  const boundToken = await victim.token('organizations:read,customers:read', victim.organizationId)
  const personalToken = await victim.token('user:read,user:write')
  const inviteToken = await intruder.token('organizations:read,organizations:write')
  const before = { organizations: [victim.organizationId], external: 200 }
  expect(await readVisible(readToken)).toEqual(before)

  const invited = await callWith(inviteToken)('POST', `/v1/organizations/${intruder.organizationId}/members`, { email: victim.email })
  const unknown = await callWith(inviteToken)('POST', `/v1/organizations/${intruder.organizationId}/members`, {
    email: 'nobody@example.com',
  })
  expect([invited.status, unknown.status]).toEqual([201, 201])
  expect(invited.body).toMatchObject({ organization_id: intruder.organizationId, email: victim.email, status: 'invited' })
  expect(JSON.stringify(invited.body)).not.toContain(victim.userId)
  expect(Object.keys(unknown.body)).toEqual(Object.keys(invited.body))
  expect(await readVisible(readToken)).toEqual(before)

  // The inviter knows the link but is not the invited user.
  const browser = provider.newBrowser()
  const link: string = invited.body.invitation_url
  const signIn = await browser.get(`${provider.authUrl}/oauth2/account`)
  await browser.submit(signIn, { email: intruder.email, password: intruder.password }, '/sign-in')
  const page = await browser.get(link)
  expect(page).toMatchObject({ status: 200, body: expect.stringContaining('You have no open invitations.') })

  const { body: received } = await callWith(personalToken)('GET', '/v1/users/me/invitations')
  expect(received.items).toMatchObject([{ organization_name: 'The intruder' }])
  expect(JSON.stringify(received)).not.toContain(intruder.organizationId)
  const accepted = await callWith(personalToken)('POST', `/v1/users/me/invitations/${received.items[0].id}/accept`)
  expect(accepted).toMatchObject({ status: 201, body: { organization_id: intruder.organizationId, user_id: victim.userId } })
  await eventually(async () =>
    expect(await readVisible(readToken)).toEqual({ organizations: [victim.organizationId, intruder.organizationId], external: 409 }),
  )
  expect(await readVisible(boundToken)).toEqual(before)
})

test('a read-only token cannot revoke a personal access token [15]', async () => {
  const { token } = await createSeller('reader')
  const [readToken, writeToken] = [await token('user:read'), await token('user:write')]
  const { body } = await callWith(readToken)('GET', '/v1/personal_access_tokens/')
  const path = `/v1/personal_access_tokens/${body.items.at(-1).id}`
  expect(await callWith(readToken)('DELETE', path)).toMatchObject({ status: 403, body: { error: 'insufficient_scope' } })
  expect((await callWith(writeToken)('DELETE', path)).status).toBe(204)
})
