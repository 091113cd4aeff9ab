import { randomUUID } from 'node:crypto'
import {
  addMember,
  createAccount,
  createClient,
  createOrganizationAccessToken,
  createPersonalAccessToken,
  revokeOrganizationAccessToken,
  tokenRevoked,
  verifyToken,
} from '@quittance/contracts/auth'
import { InvalidToken, RequestValidationError, ResourceNotFound } from '@quittance/contracts/errors'
import { createOrganization } from '@quittance/contracts/organizations'
import { hashToken } from '@quittance/runtime/credential'
import { userCaller } from '@quittance/testing/callers'
import { startTestService } from '@quittance/testing/harness'
import { expect, test } from 'vitest'
import { auth } from '../src/service.ts'

const operator = { kind: 'operator' } as const

async function startWithOrganization() {
  const service = await startTestService(auth)
  const account = await service.call(createAccount, { email: 'ada@example.com', password: 'correct horse' }, operator)
  const organization = await service.call(
    createOrganization,
    { name: 'Acme Books', slug: 'acme-books' },
    userCaller({ userId: account.id, organizationIds: [] }),
  )
  return { service, account, organization, person: userCaller({ userId: account.id, organizationIds: [organization.id] }) }
}

test('an organization token is shown once, kept as a hash, and verified as that organization with its scopes', async () => {
  const { service, organization, person } = await startWithOrganization()
  await using auth = service
  const request = { organization_id: organization.id, scopes: ['orders:read' as const], comment: 'ci' }
  const { token } = await auth.call(createOrganizationAccessToken, request, person)
  expect(token).toMatch(/^qt_oat_/)
  const verified = await auth.call(verifyToken, { hash: hashToken(token) }, { kind: 'anonymous' })
  expect(verified).toMatchObject({ caller: { kind: 'organization', organization_id: organization.id }, scopes: ['orders:read'] })
  expect(JSON.stringify(await auth.rows('select * from access_tokens'))).not.toContain(token)
  expect(await auth.rows('select from access_tokens where last_used_at is not null')).toHaveLength(1)
})

test('a revoked token stops at once, and every listener is told its hash', async () => {
  const { service, organization, person } = await startWithOrganization()
  await using auth = service
  const created = await auth.call(createOrganizationAccessToken, { organization_id: organization.id, scopes: ['orders:read'] }, person)
  await auth.call(revokeOrganizationAccessToken, { id: created.organization_access_token.id }, person)
  expect(await auth.nextEvent(tokenRevoked)).toEqual({ token_hash: hashToken(created.token) })
  await expect(auth.call(verifyToken, { hash: hashToken(created.token) }, { kind: 'anonymous' })).rejects.toThrow(InvalidToken)
  await auth.call(revokeOrganizationAccessToken, { id: created.organization_access_token.id }, person)
  await expect(auth.call(revokeOrganizationAccessToken, { id: randomUUID() }, person)).rejects.toThrow(ResourceNotFound)
})

test('an expired token is refused', async () => {
  const { service, organization, person } = await startWithOrganization()
  await using auth = service
  const request = { organization_id: organization.id, scopes: ['orders:read' as const], expires_in: 3600 }
  const { token } = await auth.call(createOrganizationAccessToken, request, person)
  await auth.rows(`update access_tokens set expires_at = now() - interval '1 second'`)
  await expect(auth.call(verifyToken, { hash: hashToken(token) }, { kind: 'anonymous' })).rejects.toThrow(InvalidToken)
})

test('a token for an organization of somebody else is refused', async () => {
  const { service, person } = await startWithOrganization()
  await using auth = service
  const request = { organization_id: randomUUID(), scopes: ['orders:read' as const] }
  await expect(auth.call(createOrganizationAccessToken, request, person)).rejects.toThrow(RequestValidationError)
})

test('a personal token sees what its person is a member of now, not what they were', async () => {
  const { service, account, organization } = await startWithOrganization()
  await using auth = service
  const { token } = await auth.call(createPersonalAccessToken, { user_id: account.id, scopes: ['orders:read'] }, operator)
  const seen = async () => (await auth.call(verifyToken, { hash: hashToken(token) }, { kind: 'anonymous' })).caller
  expect(await seen()).toMatchObject({ kind: 'user', user_id: account.id, organization_ids: [organization.id] })
  await auth.rows('delete from members')
  expect(await seen()).toMatchObject({ organization_ids: [] })
  await auth.call(addMember, { organization_id: organization.id, user_id: account.id }, operator)
  await auth.call(addMember, { organization_id: organization.id, user_id: account.id }, operator)
  expect(await seen()).toMatchObject({ organization_ids: [organization.id] })
  await expect(auth.call(addMember, { organization_id: randomUUID(), user_id: account.id }, operator)).rejects.toThrow(ResourceNotFound)
  await expect(auth.call(createPersonalAccessToken, { user_id: randomUUID(), scopes: ['orders:read'] }, operator)).rejects.toThrow(
    RequestValidationError,
  )
})

test('an e-mail address belongs to one account, whatever its case; the password is kept as a hash', async () => {
  const { service } = await startWithOrganization()
  await using auth = service
  const again = { email: 'ADA@example.com', password: 'another password' }
  await expect(auth.call(createAccount, again, operator)).rejects.toThrow(RequestValidationError)
  expect(JSON.stringify(await auth.rows('select * from accounts'))).not.toContain('correct horse')
})

test('a public client has no secret, a confidential one shows its secret once', async () => {
  await using auth = (await startWithOrganization()).service
  const wanted = { name: 'App', redirect_uris: ['https://app.example.com/callback'], scopes: ['openid' as const] }
  expect(await auth.call(createClient, { ...wanted, is_public: true }, operator)).toMatchObject({ client_secret: null })
  const { client_secret } = await auth.call(createClient, wanted, operator)
  expect(client_secret).toMatch(/^qt_cs_/)
  expect(JSON.stringify(await auth.rows('select * from clients'))).not.toContain(client_secret)
})
