import { randomUUID } from 'node:crypto'
import {
  createOrganizationAccessToken,
  createPersonalAccessToken,
  listOrganizationAccessTokens,
  listPersonalAccessTokens,
  revokeOrganizationAccessToken,
  revokePersonalAccessToken,
  updateOrganizationAccessToken,
} from '@quittance/contracts/access-tokens'
import { addMember } from '@quittance/contracts/accounts'
import { tokenRevoked } from '@quittance/contracts/auth'
import { InvalidToken, NotPermitted, RequestValidationError, ResourceNotFound } from '@quittance/contracts/errors'
import { createOrganization } from '@quittance/contracts/organizations'
import { hashToken } from '@quittance/runtime/credential'
import { organizationCaller } from '@quittance/testing/callers'
import { expect, test } from 'vitest'
import { addAccount, operator, personCaller, personWith, startWithPerson, verify } from './start-with-person.ts'

const ordersRead = ['orders:read' as const]
const forgotten = { token_hash: null, grant_id: null, client_id: null, user_id: null }

test('an organization token is shown once, kept as a hash, and verified as that organization with its scopes', async () => {
  const { service, organizationId, person } = await startWithPerson()
  await using auth = service
  const request = { organization_id: organizationId, scopes: ordersRead, comment: 'ci' }
  const { token, organization_access_token: created } = await auth.call(createOrganizationAccessToken, request, person)
  expect(token).toMatch(/^qt_oat_/)
  expect(created).toMatchObject({ ...request, modified_at: null, expires_at: null, last_used_at: null })
  expect(await verify(auth, token)).toEqual({
    caller: { kind: 'organization', organization_id: organizationId, user_id: person.user_id, token_id: created.id, client_id: null },
    scopes: ordersRead,
    expires_at: null,
    confirmation: null,
    grant_id: null,
  })
  expect(JSON.stringify(await auth.rows('select * from access_tokens'))).not.toContain(token)
  expect(await auth.rows('select from access_tokens where last_used_at is not null')).toHaveLength(1)
})

test('a revoked token stops at once, and every listener is told its hash', async () => {
  const { service, organizationId, person } = await startWithPerson()
  await using auth = service
  const created = await auth.call(createOrganizationAccessToken, { organization_id: organizationId, scopes: ordersRead }, person)
  const { id } = created.organization_access_token
  await auth.call(revokeOrganizationAccessToken, { id }, person)
  expect(await auth.nextEvent(tokenRevoked)).toEqual({ ...forgotten, token_hash: hashToken(created.token) })
  await expect(verify(auth, created.token)).rejects.toThrow(InvalidToken)
  expect((await auth.call(listOrganizationAccessTokens, {}, person)).items).toEqual([])
  await expect(auth.call(updateOrganizationAccessToken, { id, comment: 'back' }, person)).rejects.toThrow(ResourceNotFound)
  await auth.call(revokeOrganizationAccessToken, { id }, person)
  await expect(auth.call(revokeOrganizationAccessToken, { id: randomUUID() }, person)).rejects.toThrow(ResourceNotFound)
})

test('a token lives as long as it was given, in seconds or as a duration; then it is refused', async () => {
  const { service, organizationId, person } = await startWithPerson()
  await using auth = service
  const asked = { organization_id: organizationId, scopes: ordersRead }
  const { token } = await auth.call(createOrganizationAccessToken, { ...asked, expires_in: 3600 }, person)
  const monthly = await auth.call(createOrganizationAccessToken, { ...asked, expires_in: 'P1M' }, person)
  const { created_at, expires_at } = monthly.organization_access_token
  expect((Date.parse(expires_at ?? '') - Date.parse(created_at)) / 86_400_000).toBeGreaterThan(27.9)
  expect((await verify(auth, monthly.token)).expires_at).toBe(expires_at)
  await auth.rows(`update access_tokens set expires_at = now() - interval '1 second'`)
  await expect(verify(auth, token)).rejects.toThrow(InvalidToken)
  await expect(auth.call(createOrganizationAccessToken, { ...asked, expires_in: 'P0D' }, person)).rejects.toThrow(RequestValidationError)
})

test('a token for an organization of somebody else is refused', async () => {
  const { service, person } = await startWithPerson()
  await using auth = service
  const request = { organization_id: randomUUID(), scopes: ordersRead }
  await expect(auth.call(createOrganizationAccessToken, request, person)).rejects.toThrow(RequestValidationError)
})

test('nobody hands out a scope that their own token lacks; narrowing a token needs none', async () => {
  const { service, userId, organizationId, person } = await startWithPerson()
  await using auth = service
  const limited = await personWith(auth, userId, ['organizations:write', 'orders:read'])
  const asked = { organization_id: organizationId, scopes: ordersRead }
  await expect(auth.call(createOrganizationAccessToken, { ...asked, scopes: ['orders:read', 'orders:write'] }, limited)).rejects.toThrow(
    /orders:write/,
  )
  const { organization_access_token: token } = await auth.call(createOrganizationAccessToken, asked, limited)
  await expect(auth.call(updateOrganizationAccessToken, { id: token.id, scopes: ['products:read'] }, limited)).rejects.toThrow(
    RequestValidationError,
  )
  await auth.call(updateOrganizationAccessToken, { id: token.id, scopes: ['orders:read', 'products:read', 'products:write'] }, person)
  const narrowed = await auth.call(updateOrganizationAccessToken, { id: token.id, scopes: ['products:read'] }, limited)
  expect(narrowed.scopes).toEqual(['products:read'])
  const unknown = { ...person, token_id: randomUUID() }
  await expect(auth.call(createOrganizationAccessToken, asked, unknown)).rejects.toThrow(RequestValidationError)
  await expect(auth.call(createOrganizationAccessToken, asked, { ...person, token_id: 'at_other' })).rejects.toThrow(RequestValidationError)
})

test('other scopes count at once: whoever remembers the old ones is told; another comment is nobody’s business', async () => {
  const { service, organizationId, person } = await startWithPerson()
  await using auth = service
  const asked = { organization_id: organizationId, scopes: ['orders:read' as const, 'orders:write' as const] }
  const { token, organization_access_token: created } = await auth.call(createOrganizationAccessToken, asked, person)
  const renamed = await auth.call(updateOrganizationAccessToken, { id: created.id, comment: 'ci', scopes: null }, person)
  expect(renamed).toMatchObject({ comment: 'ci', scopes: asked.scopes, modified_at: expect.any(String) })
  await auth.call(updateOrganizationAccessToken, { id: created.id, scopes: ['orders:write', 'orders:read'] }, person)
  const changed = await auth.call(updateOrganizationAccessToken, { id: created.id, scopes: ordersRead }, person)
  expect(changed).toMatchObject({ comment: 'ci', scopes: ordersRead })
  expect(await auth.nextEvent(tokenRevoked)).toEqual({ ...forgotten, token_hash: hashToken(token) })
  const told = auth.said.filter(
    ({ subject, payload }) => subject === tokenRevoked.subject && (payload as { token_hash: string }).token_hash,
  )
  expect(told).toHaveLength(1)
  expect((await verify(auth, token)).scopes).toEqual(ordersRead)
})

test('organization tokens are listed for their organizations, and found by nobody else', async () => {
  const { service, userId, organizationId, person } = await startWithPerson()
  await using auth = service
  const other = await auth.call(createOrganization, { name: 'Other', slug: 'other' }, person)
  const both = personCaller(userId, [organizationId, other.id])
  for (const [organization_id, comment] of [
    [organizationId, 'b'],
    [organizationId, 'a'],
    [other.id, 'c'],
  ] as const) {
    await auth.call(createOrganizationAccessToken, { organization_id, comment, scopes: ordersRead }, both)
  }
  await auth.call(createPersonalAccessToken, { user_id: userId, scopes: ordersRead }, operator)
  const list = async (request: Parameters<typeof auth.call<typeof listOrganizationAccessTokens>>[1], caller = both) =>
    (await auth.call(listOrganizationAccessTokens, request, caller)).items.map(({ comment }) => comment)
  expect(await list({})).toEqual(['b', 'a', 'c'])
  expect(await list({ sorting: ['-comment' as 'comment'] })).toEqual(['c', 'b', 'a'])
  expect(await list({ organization_id: organizationId, sorting: ['comment'] })).toEqual(['a', 'b'])
  expect(await list({ organization_id: [other.id, randomUUID()] })).toEqual(['c'])
  expect(await list({ limit: 1, page: 2, sorting: ['organization_id', 'last_used_at', 'comment'] })).toHaveLength(1)
  const stranger = personCaller(await addAccount(auth, 'eve@example.com'), [])
  expect(await list({ organization_id: organizationId }, stranger)).toEqual([])
  const [{ id } = { id: '' }] = (await auth.call(listOrganizationAccessTokens, {}, both)).items
  await expect(auth.call(updateOrganizationAccessToken, { id, comment: 'mine' }, stranger)).rejects.toThrow(ResourceNotFound)
  await expect(auth.call(revokeOrganizationAccessToken, { id }, stranger)).rejects.toThrow(ResourceNotFound)
})

test('an application cannot make, change or revoke credentials in the name of a person', async () => {
  const { service, userId, organizationId, person, application } = await startWithPerson()
  await using auth = service
  const asked = { organization_id: organizationId, scopes: ordersRead }
  const { id } = (await auth.call(createOrganizationAccessToken, asked, person)).organization_access_token
  const personal = await auth.call(createPersonalAccessToken, { user_id: userId, scopes: ordersRead }, operator)
  for (const caller of [application, organizationCaller(organizationId)]) {
    await expect(auth.call(createOrganizationAccessToken, asked, caller)).rejects.toThrow(NotPermitted)
    await expect(auth.call(updateOrganizationAccessToken, { id, comment: 'x' }, caller)).rejects.toThrow(NotPermitted)
    await expect(auth.call(revokeOrganizationAccessToken, { id }, caller)).rejects.toThrow(NotPermitted)
    await expect(auth.call(revokePersonalAccessToken, { id: personal.id }, caller)).rejects.toThrow(NotPermitted)
  }
  await expect(auth.call(listPersonalAccessTokens, {}, organizationCaller(organizationId))).rejects.toMatchObject({ status: 403 })
})

test('a personal token sees what its person is a member of now, not what they were', async () => {
  const { service, userId, organizationId } = await startWithPerson()
  await using auth = service
  const { token } = await auth.call(createPersonalAccessToken, { user_id: userId, scopes: ordersRead, expires_in: 'P1Y' }, operator)
  const seen = async () => (await verify(auth, token)).caller
  expect(await seen()).toMatchObject({ kind: 'user', user_id: userId, organization_ids: [organizationId], client_id: null })
  await auth.rows('delete from members')
  expect(await seen()).toMatchObject({ organization_ids: [] })
  await auth.call(addMember, { organization_id: organizationId, user_id: userId }, operator)
  expect(await seen()).toMatchObject({ organization_ids: [organizationId] })
  await expect(auth.call(createPersonalAccessToken, { user_id: randomUUID(), scopes: ordersRead }, operator)).rejects.toThrow(
    RequestValidationError,
  )
})

test('a person lists and revokes their own personal tokens, and nobody else’s', async () => {
  const { service, userId, organizationId, person } = await startWithPerson()
  await using auth = service
  const other = await addAccount(auth, 'eve@example.com')
  const { id, token } = await auth.call(createPersonalAccessToken, { user_id: userId, scopes: ordersRead, comment: 'laptop' }, operator)
  await auth.call(createOrganizationAccessToken, { organization_id: organizationId, scopes: ordersRead }, person)
  const { items } = await auth.call(listPersonalAccessTokens, { sorting: ['-last_used_at' as 'last_used_at', 'comment'] }, person)
  expect(items).toMatchObject([{ id, comment: 'laptop', scopes: ordersRead }])
  const stranger = personCaller(other, [organizationId])
  expect((await auth.call(listPersonalAccessTokens, {}, stranger)).items).toEqual([])
  await expect(auth.call(revokePersonalAccessToken, { id }, stranger)).rejects.toThrow(ResourceNotFound)
  await auth.call(revokePersonalAccessToken, { id }, person)
  expect(await auth.nextEvent(tokenRevoked)).toEqual({ ...forgotten, token_hash: hashToken(token) })
  await expect(verify(auth, token)).rejects.toThrow(InvalidToken)
  expect((await auth.call(listPersonalAccessTokens, {}, person)).items).toEqual([])
})
