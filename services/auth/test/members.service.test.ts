import { randomUUID } from 'node:crypto'
import { createOrganizationAccessToken } from '@quittance/contracts/access-tokens'
import { addMember, inviteMember, listMembers, removeMember } from '@quittance/contracts/accounts'
import { tokenRevoked } from '@quittance/contracts/auth'
import { InvalidToken, NotPermitted, RequestValidationError, ResourceNotFound } from '@quittance/contracts/errors'
import { organizationCaller } from '@quittance/testing/callers'
import { expect, test } from 'vitest'
import {
  addAccessToken,
  addAccount,
  addClient,
  addGrant,
  applicationCaller,
  operator,
  personCaller,
  startWithPerson,
  verify,
} from './start-with-person.ts'

async function startWithTwoMembers() {
  const started = await startWithPerson()
  const grace = await addAccount(started.service, 'grace@example.com')
  await started.service.call(inviteMember, { id: started.organizationId, email: 'grace@example.com' }, started.person)
  expect(await started.service.nextEvent(tokenRevoked)).toMatchObject({ user_id: grace })
  return { ...started, grace }
}

test('whoever has an account is invited by e-mail address, whatever its case; twice is not an error', async () => {
  const { service, organizationId: id, userId, person } = await startWithPerson()
  await using auth = service
  const grace = await addAccount(auth, 'grace@example.com')
  const member = await auth.call(inviteMember, { id, email: 'Grace@Example.com' }, person)
  expect(member).toMatchObject({ organization_id: id, user_id: grace, email: 'grace@example.com' })
  expect(await auth.call(inviteMember, { id, email: 'grace@example.com' }, person)).toEqual(member)
  const { items, pagination } = await auth.call(listMembers, { id }, organizationCaller(id))
  expect(items.map(({ user_id }) => user_id)).toEqual([userId, grace])
  expect(pagination).toEqual({ total_count: 2, max_page: 1 })
  expect((await auth.call(listMembers, { id, limit: 1, page: 2 }, person)).items).toEqual([member])
  await expect(auth.call(inviteMember, { id, email: 'nobody@example.com' }, person)).rejects.toThrow(RequestValidationError)
  await expect(auth.call(inviteMember, { id, email: 'nobody@example.com' }, person)).rejects.toMatchObject({
    body: { detail: [{ loc: ['body', 'email'] }] },
  })
})

test('the operator adds a member by id; twice is not an error, an unknown organization or account is', async () => {
  const { service, organizationId, userId } = await startWithPerson()
  await using auth = service
  const grace = await addAccount(auth, 'grace@example.com')
  await auth.call(addMember, { organization_id: organizationId, user_id: grace }, operator)
  await auth.call(addMember, { organization_id: organizationId, user_id: grace }, operator)
  expect(await auth.rows('select from members')).toHaveLength(2)
  await expect(auth.call(addMember, { organization_id: randomUUID(), user_id: userId }, operator)).rejects.toThrow(ResourceNotFound)
  await expect(auth.call(addMember, { organization_id: organizationId, user_id: randomUUID() }, operator)).rejects.toThrow(ResourceNotFound)
})

test('what a removed member authorized for the organization stops at once, and only that; everybody is told the person', async () => {
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

test('an organization token outlives the membership of whoever made it: it acts for the organization', async () => {
  const { service, organizationId, person, grace } = await startWithTwoMembers()
  await using auth = service
  const asked = { organization_id: organizationId, scopes: ['orders:read' as const] }
  const { token } = await auth.call(createOrganizationAccessToken, asked, personCaller(grace, [organizationId]))
  await auth.call(removeMember, { id: organizationId, user_id: grace }, person)
  expect((await verify(auth, token)).caller).toMatchObject({ kind: 'organization', organization_id: organizationId })
})

test('an organization keeps its last member, also when the last two remove each other at the same moment', async () => {
  const { service, organizationId: id, userId, person, grace } = await startWithTwoMembers()
  await using auth = service
  const outcomes = await Promise.allSettled([
    auth.call(removeMember, { id, user_id: grace }, person),
    auth.call(removeMember, { id, user_id: userId }, personCaller(grace, [id])),
  ])
  expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  const left = await auth.rows<{ account_id: string }>('select account_id from members')
  expect(left).toHaveLength(1)
  const last = left[0]?.account_id ?? ''
  await expect(auth.call(removeMember, { id, user_id: last }, personCaller(last, [id]))).rejects.toThrow(NotPermitted)
  expect(await auth.rows('select from members')).toHaveLength(1)
})

test('members of an organization that is not the caller’s are not found', async () => {
  const { service, organizationId: id, userId, person } = await startWithTwoMembers()
  await using auth = service
  const stranger = personCaller(await addAccount(auth, 'eve@example.com'), [])
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
