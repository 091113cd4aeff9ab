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
import { addMember, removeMember } from '@quittance/contracts/accounts'
import { tokenRevoked } from '@quittance/contracts/auth'
import { limitToOrganization, type Caller } from '@quittance/contracts/caller'
import { InvalidToken, NotPermitted, RequestValidationError, ResourceNotFound } from '@quittance/contracts/errors'
import { createOrganization } from '@quittance/contracts/organizations'
import { hashToken } from '@quittance/runtime/credential'
import { call } from '@quittance/runtime/rpc-client'
import { organizationCaller } from '@quittance/testing/callers'
import { expect, test } from 'vitest'
import { addAccount, operator, userCallerFor, createTokenCaller, startWithUser, verify } from './start-with-user.ts'

const ordersRead = ['orders:read' as const]
const forgotten = { token_hash: null, grant_id: null, client_id: null, user_id: null }

test('shows an organization token once, stores its hash and verifies it with its scopes', async () => {
  const { service, organizationId, person } = await startWithUser()
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

test('revoking a token takes effect at once and publishes its hash', async () => {
  const { service, organizationId, person } = await startWithUser()
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

test('a token expires after the given seconds or duration', async () => {
  const { service, organizationId, person } = await startWithUser()
  await using auth = service
  const request = { organization_id: organizationId, scopes: ordersRead }
  const { token } = await auth.call(createOrganizationAccessToken, { ...request, expires_in: 3600 }, person)
  const monthly = await auth.call(createOrganizationAccessToken, { ...request, expires_in: 'P1M' }, person)
  const { created_at, expires_at } = monthly.organization_access_token
  expect((Date.parse(expires_at ?? '') - Date.parse(created_at)) / 86_400_000).toBeGreaterThan(27.9)
  expect((await verify(auth, monthly.token)).expires_at).toBe(expires_at)
  await auth.rows(`update access_tokens set expires_at = now() - interval '1 second'`)
  await expect(verify(auth, token)).rejects.toThrow(InvalidToken)
  await expect(auth.call(createOrganizationAccessToken, { ...request, expires_in: 'P0D' }, person)).rejects.toThrow(RequestValidationError)
})

test('rejects a token for another user’s organization', async () => {
  const { service, person } = await startWithUser()
  await using auth = service
  const request = { organization_id: randomUUID(), scopes: ordersRead }
  await expect(auth.call(createOrganizationAccessToken, request, person)).rejects.toThrow(RequestValidationError)
})

test('the organization of a token is the one to which the request is limited, if it names none', async () => {
  const { service, organizationId, person } = await startWithUser()
  await using auth = service
  const limited = limitToOrganization(person, organizationId) as Caller
  const created = await auth.call(createOrganizationAccessToken, { scopes: ordersRead }, limited)
  expect(created.organization_access_token.organization_id).toBe(organizationId)
  await expect(auth.call(createOrganizationAccessToken, { scopes: ordersRead }, person)).rejects.toThrow(RequestValidationError)
})

test('rejects scopes that the caller’s token lacks; removing scopes requires none', async () => {
  const { service, userId, organizationId, person } = await startWithUser()
  await using auth = service
  const limited = await createTokenCaller(auth, userId, ['organizations:write', 'orders:read'])
  const request = { organization_id: organizationId, scopes: ordersRead }
  await expect(auth.call(createOrganizationAccessToken, { ...request, scopes: ['orders:read', 'orders:write'] }, limited)).rejects.toThrow(
    /orders:write/,
  )
  const { organization_access_token: token } = await auth.call(createOrganizationAccessToken, request, limited)
  await expect(auth.call(updateOrganizationAccessToken, { id: token.id, scopes: ['products:read'] }, limited)).rejects.toThrow(
    RequestValidationError,
  )
  await auth.call(updateOrganizationAccessToken, { id: token.id, scopes: ['orders:read', 'products:read', 'products:write'] }, person)
  const narrowed = await auth.call(updateOrganizationAccessToken, { id: token.id, scopes: ['products:read'] }, limited)
  expect(narrowed.scopes).toEqual(['products:read'])
  const unknown = { ...person, token_id: randomUUID() }
  await expect(auth.call(createOrganizationAccessToken, request, unknown)).rejects.toThrow(RequestValidationError)
  await expect(auth.call(createOrganizationAccessToken, request, { ...person, token_id: 'at_other' })).rejects.toThrow(
    RequestValidationError,
  )
})

test('a personal token that was revoked or has expired grants no scope to an organization token', async () => {
  const { service, userId, organizationId } = await startWithUser()
  await using auth = service
  const caller = await createTokenCaller(auth, userId, ['organizations:write', 'orders:read'])
  const request = { organization_id: organizationId, scopes: ordersRead }
  await auth.rows(`update access_tokens set revoked_at = now()`)
  await expect(auth.call(createOrganizationAccessToken, request, caller)).rejects.toThrow(/orders:read/)
  await auth.rows(`update access_tokens set revoked_at = null, expires_at = now()`)
  await expect(auth.call(createOrganizationAccessToken, request, caller)).rejects.toThrow(/orders:read/)
  expect(await auth.rows(`select from access_tokens where kind = 'organization'`)).toEqual([])
})

test('changed scopes take effect at once and are published; a changed comment is not', async () => {
  const { service, organizationId, person } = await startWithUser()
  await using auth = service
  const request = { organization_id: organizationId, scopes: ['orders:read' as const, 'orders:write' as const] }
  const { token, organization_access_token: created } = await auth.call(createOrganizationAccessToken, request, person)
  const renamed = await auth.call(updateOrganizationAccessToken, { id: created.id, comment: 'ci', scopes: null }, person)
  expect(renamed).toMatchObject({ comment: 'ci', scopes: request.scopes, modified_at: expect.any(String) })
  await auth.call(updateOrganizationAccessToken, { id: created.id, scopes: ['orders:write', 'orders:read'] }, person)
  const changed = await auth.call(updateOrganizationAccessToken, { id: created.id, scopes: ordersRead }, person)
  expect(changed).toMatchObject({ comment: 'ci', scopes: ordersRead })
  expect(await auth.nextEvent(tokenRevoked)).toEqual({ ...forgotten, token_hash: hashToken(token) })
  const events = auth.publishedEvents.filter(
    ({ subject, payload }) => subject === tokenRevoked.subject && (payload as { token_hash: string }).token_hash,
  )
  expect(events).toHaveLength(1)
  expect((await verify(auth, token)).scopes).toEqual(ordersRead)
})

test('lists organization tokens only to members of their organizations', async () => {
  const { service, userId, organizationId, person } = await startWithUser()
  await using auth = service
  const other = await auth.call(createOrganization, { name: 'Other', slug: 'other' }, person)
  const both = userCallerFor(userId, [organizationId, other.id])
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
  const stranger = userCallerFor(await addAccount(auth, 'eve@example.com'), [])
  expect(await list({ organization_id: organizationId }, stranger)).toEqual([])
  const [{ id } = { id: '' }] = (await auth.call(listOrganizationAccessTokens, {}, both)).items
  await expect(auth.call(updateOrganizationAccessToken, { id, comment: 'mine' }, stranger)).rejects.toThrow(ResourceNotFound)
  await expect(auth.call(revokeOrganizationAccessToken, { id }, stranger)).rejects.toThrow(ResourceNotFound)
})

test('an application cannot create, change or revoke credentials on behalf of a user', async () => {
  const { service, userId, organizationId, person, application } = await startWithUser()
  await using auth = service
  const request = { organization_id: organizationId, scopes: ordersRead }
  const { id } = (await auth.call(createOrganizationAccessToken, request, person)).organization_access_token
  const personal = await auth.call(createPersonalAccessToken, { user_id: userId, scopes: ordersRead }, operator)
  for (const caller of [application, organizationCaller(organizationId)]) {
    await expect(auth.call(createOrganizationAccessToken, request, caller)).rejects.toThrow(NotPermitted)
    await expect(auth.call(updateOrganizationAccessToken, { id, comment: 'x' }, caller)).rejects.toThrow(NotPermitted)
    await expect(auth.call(revokeOrganizationAccessToken, { id }, caller)).rejects.toThrow(NotPermitted)
    await expect(auth.call(revokePersonalAccessToken, { id: personal.id }, caller)).rejects.toThrow(NotPermitted)
  }
  await expect(auth.call(listPersonalAccessTokens, {}, organizationCaller(organizationId))).rejects.toMatchObject({ status: 403 })
})

test('an application that repeats a request of its user under the same key gets no stored credential', async () => {
  const { service, organizationId, person, application } = await startWithUser()
  await using auth = service
  const request = { organization_id: organizationId, scopes: ordersRead }
  const keyed = { operation: createOrganizationAccessToken, request, idempotencyKey: 'first-token' }
  const { token } = await call(auth.connection, { ...keyed, caller: person })
  expect(await call(auth.connection, { ...keyed, caller: person })).toMatchObject({ token })
  await expect(call(auth.connection, { ...keyed, caller: application })).rejects.toThrow(NotPermitted)
})

test('a personal token sees the current memberships of its user', async () => {
  const { service, userId, organizationId } = await startWithUser()
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

test('the operator gets 422 for an organization token of an account or organization that does not exist', async () => {
  const { service, userId, organizationId } = await startWithUser()
  await using auth = service
  for (const [owner, organization] of [
    [userId, randomUUID()],
    [randomUUID(), organizationId],
  ] as const) {
    const request = { organization_id: organization, scopes: ordersRead }
    const created = auth.call(createOrganizationAccessToken, request, userCallerFor(owner, [organization]))
    await expect(created).rejects.toThrow(RequestValidationError)
  }
})

test('a bound personal token sees only its organizations and no later membership', async () => {
  const { service, userId, organizationId, person } = await startWithUser()
  await using auth = service
  const second = await auth.call(createOrganization, { name: 'Second', slug: 'second' }, person)
  const request = { user_id: userId, scopes: ordersRead }
  const bound = await auth.call(createPersonalAccessToken, { ...request, organization_ids: [organizationId, organizationId] }, operator)
  expect(bound.organization_ids).toEqual([organizationId])
  const free = await auth.call(createPersonalAccessToken, request, operator)
  expect(free.organization_ids).toBeNull()
  const seenBy = async (token: string) => {
    const { caller } = await verify(auth, token)
    return caller.kind === 'user' ? caller.organization_ids.toSorted() : null
  }
  expect(await seenBy(bound.token)).toEqual([organizationId])
  expect(await seenBy(free.token)).toEqual([organizationId, second.id].toSorted())

  const grace = await addAccount(auth, 'grace@example.com')
  await auth.call(addMember, { organization_id: organizationId, user_id: grace }, operator)
  await auth.call(removeMember, { id: organizationId, user_id: userId }, person)
  expect(await seenBy(bound.token)).toEqual([])
  await auth.call(addMember, { organization_id: organizationId, user_id: userId }, operator)
  expect(await seenBy(bound.token)).toEqual([])
  expect(await seenBy(free.token)).toEqual([organizationId, second.id].toSorted())
})

test('lists the binding of a personal token, which accepts organizations of its user only', async () => {
  const { service, userId, organizationId, person } = await startWithUser()
  await using auth = service
  const stranger = userCallerFor(await addAccount(auth, 'eve@example.com'), [])
  const foreign = await auth.call(createOrganization, { name: 'Foreign', slug: 'foreign' }, stranger)
  const request = { user_id: userId, scopes: ordersRead }
  await expect(
    auth.call(createPersonalAccessToken, { ...request, organization_ids: [organizationId, foreign.id] }, operator),
  ).rejects.toMatchObject({ body: { detail: [{ loc: ['body', 'organization_ids'] }] } })
  expect(await auth.rows('select from access_tokens')).toHaveLength(0)
  await auth.call(createPersonalAccessToken, { ...request, organization_ids: [organizationId] }, operator)
  await auth.call(createPersonalAccessToken, { ...request, organization_ids: null }, operator)
  const { items } = await auth.call(listPersonalAccessTokens, {}, person)
  expect(items.map(({ organization_ids }) => organization_ids)).toEqual([[organizationId], null])
})

test('only personal tokens accept the scope user:write', async () => {
  const { service, userId, organizationId, person } = await startWithUser()
  await using auth = service
  const { token } = await auth.call(createPersonalAccessToken, { user_id: userId, scopes: ['user:write'] }, operator)
  expect((await verify(auth, token)).scopes).toEqual(['user:write'])
  const request = { organization_id: organizationId, scopes: ['user:write' as 'user:read'] }
  await expect(auth.call(createOrganizationAccessToken, request, person)).rejects.toThrow(RequestValidationError)
})

test('a user lists and revokes only the user’s own personal tokens', async () => {
  const { service, userId, organizationId, person } = await startWithUser()
  await using auth = service
  const other = await addAccount(auth, 'eve@example.com')
  const { id, token } = await auth.call(createPersonalAccessToken, { user_id: userId, scopes: ordersRead, comment: 'laptop' }, operator)
  await auth.call(createOrganizationAccessToken, { organization_id: organizationId, scopes: ordersRead }, person)
  const { items } = await auth.call(listPersonalAccessTokens, { sorting: ['-last_used_at' as 'last_used_at', 'comment'] }, person)
  expect(items).toMatchObject([{ id, comment: 'laptop', scopes: ordersRead }])
  const stranger = userCallerFor(other, [organizationId])
  expect((await auth.call(listPersonalAccessTokens, {}, stranger)).items).toEqual([])
  await expect(auth.call(revokePersonalAccessToken, { id }, stranger)).rejects.toThrow(ResourceNotFound)
  await auth.call(revokePersonalAccessToken, { id }, person)
  expect(await auth.nextEvent(tokenRevoked)).toEqual({ ...forgotten, token_hash: hashToken(token) })
  await expect(verify(auth, token)).rejects.toThrow(InvalidToken)
  expect((await auth.call(listPersonalAccessTokens, {}, person)).items).toEqual([])
})
