import { randomUUID } from 'node:crypto'
import { createOrganizationAccessToken, updateOrganizationAccessToken } from '@quittance/contracts/access-tokens'
import { addMember, inviteMember, listMembers, removeMember } from '@quittance/contracts/accounts'
import { tokenRevoked } from '@quittance/contracts/auth'
import { InvalidToken, NotPermitted, RequestValidationError, ResourceNotFound } from '@quittance/contracts/errors'
import { acceptInvitation } from '@quittance/contracts/invitations'
import { organizationCaller } from '@quittance/testing/callers'
import { expect, test } from 'vitest'
import {
  addAccessToken,
  addAccount,
  addClient,
  addGrant,
  addVerifiedAccount,
  applicationCaller,
  createTokenCaller,
  operator,
  userCallerFor,
  startWithUser,
  verify,
} from './start-with-user.ts'

async function startWithTwoMembers() {
  const started = await startWithUser()
  const grace = await addAccount(started.service, 'grace@example.com')
  await started.service.call(addMember, { organization_id: started.organizationId, user_id: grace }, operator)
  expect(await started.service.nextEvent(tokenRevoked)).toMatchObject({ user_id: grace })
  return { ...started, grace }
}

test('lists an invited member only after acceptance', async () => {
  const { service, organizationId: id, userId, person } = await startWithUser()
  await using auth = service
  const grace = await addVerifiedAccount(auth, 'grace@example.com')
  const { invitation_id } = await auth.call(inviteMember, { id, email: 'Grace@Example.com' }, person)
  const listed = () => auth.call(listMembers, { id }, organizationCaller(id))
  expect((await listed()).items.map(({ user_id }) => user_id)).toEqual([userId])
  await auth.call(acceptInvitation, { id: invitation_id ?? '' }, userCallerFor(grace, []))
  const { items, pagination } = await listed()
  expect(items.map(({ user_id }) => user_id)).toEqual([userId, grace])
  expect(pagination).toEqual({ total_count: 2, max_page: 1 })
  expect((await auth.call(listMembers, { id, limit: 1, page: 2 }, person)).items).toMatchObject([{ email: 'grace@example.com' }])
})

test('the operator adds a member by id; repeating is no error, an unknown id is', async () => {
  const { service, organizationId, userId } = await startWithUser()
  await using auth = service
  const grace = await addAccount(auth, 'grace@example.com')
  await auth.call(addMember, { organization_id: organizationId, user_id: grace }, operator)
  await auth.call(addMember, { organization_id: organizationId, user_id: grace }, operator)
  expect(await auth.rows('select from members')).toHaveLength(2)
  await expect(auth.call(addMember, { organization_id: randomUUID(), user_id: userId }, operator)).rejects.toThrow(ResourceNotFound)
  await expect(auth.call(addMember, { organization_id: organizationId, user_id: randomUUID() }, operator)).rejects.toThrow(ResourceNotFound)
})

test('removing a member ends only that organization’s authorizations and publishes the user', async () => {
  const { service, organizationId, person, grace } = await startWithTwoMembers()
  await using auth = service
  const clientId = await addClient(auth)
  const forOrganization = await addGrant(auth, { userId: grace, clientId, organizationId })
  const forPerson = await addGrant(auth, { userId: grace, clientId, organizationId: null })
  const ofAda = await addGrant(auth, { userId: person.user_id, clientId, organizationId })
  const tokens = await Promise.all([forOrganization, forPerson, ofAda].map((id) => addAccessToken(auth, id, { scope: 'openid' })))
  const [lost = '', own = '', adas = ''] = tokens
  expect((await verify(auth, own)).caller).toMatchObject({ organization_ids: [organizationId] })

  await auth.call(removeMember, { id: organizationId, user_id: grace }, person)
  expect(await auth.nextEvent(tokenRevoked)).toEqual({ token_hash: null, grant_id: null, client_id: null, user_id: grace })
  await expect(verify(auth, lost)).rejects.toThrow(InvalidToken)
  expect((await verify(auth, own)).caller).toMatchObject({ kind: 'user', organization_ids: [] })
  expect((await verify(auth, adas)).caller).toMatchObject({ kind: 'organization' })
  expect(await auth.rows<{ id: string }>('select id from grants')).toHaveLength(2)
  expect(await auth.rows('select from consents where account_id = $1 and organization_id is not null', [grace])).toEqual([])
  expect(await auth.rows('select from consents')).toHaveLength(2)
})

test('an organization token outlives the membership of its creator', async () => {
  const { service, organizationId, person, grace } = await startWithTwoMembers()
  await using auth = service
  const request = { organization_id: organizationId, scopes: ['orders:read' as const] }
  const { token } = await auth.call(createOrganizationAccessToken, request, userCallerFor(grace, [organizationId]))
  await auth.call(removeMember, { id: organizationId, user_id: grace }, person)
  expect((await verify(auth, token)).caller).toMatchObject({ kind: 'organization', organization_id: organizationId })
})

test('a removed member whom a gateway still knows as one removes no member and gets no organization token', async () => {
  const { service, organizationId, userId, person, grace } = await startWithTwoMembers()
  await using auth = service
  const before = await createTokenCaller(auth, grace, ['organizations:write', 'orders:read', 'orders:write'])
  const request = { organization_id: organizationId, scopes: ['orders:read' as const] }
  const { organization_access_token: token } = await auth.call(createOrganizationAccessToken, request, before)
  const third = await addAccount(auth, 'hedy@example.com')
  await auth.call(addMember, { organization_id: organizationId, user_id: third }, operator)
  await auth.call(removeMember, { id: organizationId, user_id: grace }, person)
  await expect(auth.call(removeMember, { id: organizationId, user_id: userId }, before)).rejects.toThrow(ResourceNotFound)
  await expect(auth.call(createOrganizationAccessToken, request, before)).rejects.toThrow(RequestValidationError)
  const wider = { id: token.id, scopes: ['orders:read' as const, 'orders:write' as const] }
  await expect(auth.call(updateOrganizationAccessToken, wider, before)).rejects.toThrow(ResourceNotFound)
  const members = await auth.rows<{ account_id: string }>('select account_id from members')
  expect(members.map(({ account_id }) => account_id).toSorted()).toEqual([userId, third].toSorted())
  expect(await auth.rows(`select from access_tokens where kind = 'organization'`)).toHaveLength(1)
})

test('an organization keeps its last member, also when the last two remove each other at once', async () => {
  const { service, organizationId: id, userId, person, grace } = await startWithTwoMembers()
  await using auth = service
  const outcomes = await Promise.allSettled([
    auth.call(removeMember, { id, user_id: grace }, person),
    auth.call(removeMember, { id, user_id: userId }, userCallerFor(grace, [id])),
  ])
  expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  const left = await auth.rows<{ account_id: string }>('select account_id from members')
  expect(left).toHaveLength(1)
  const last = left[0]?.account_id ?? ''
  await expect(auth.call(removeMember, { id, user_id: last }, userCallerFor(last, [id]))).rejects.toThrow(NotPermitted)
  expect(await auth.rows('select from members')).toHaveLength(1)
})

test('returns 404 for members of an organization that is not the caller’s', async () => {
  const { service, organizationId: id, userId, person } = await startWithTwoMembers()
  await using auth = service
  const stranger = userCallerFor(await addAccount(auth, 'eve@example.com'), [])
  await expect(auth.call(listMembers, { id }, stranger)).rejects.toThrow(ResourceNotFound)
  await expect(auth.call(inviteMember, { id, email: 'eve@example.com' }, stranger)).rejects.toThrow(ResourceNotFound)
  await expect(auth.call(removeMember, { id, user_id: userId }, stranger)).rejects.toThrow(ResourceNotFound)
  await expect(auth.call(removeMember, { id, user_id: stranger.user_id }, person)).rejects.toThrow(ResourceNotFound)
})

test('an application lists members but neither invites nor removes them', async () => {
  const { service, organizationId: id, userId, grace } = await startWithTwoMembers()
  await using auth = service
  const application = applicationCaller(userId, [id])
  expect((await auth.call(listMembers, { id }, application)).items).toHaveLength(2)
  await expect(auth.call(inviteMember, { id, email: 'grace@example.com' }, application)).rejects.toThrow(NotPermitted)
  await expect(auth.call(removeMember, { id, user_id: grace }, application)).rejects.toThrow(NotPermitted)
})
