import { randomUUID } from 'node:crypto'
import { addMember, inviteMember, removeMember } from '@quittance/contracts/accounts'
import { tokenRevoked } from '@quittance/contracts/auth'
import { NotPermitted, ResourceNotFound, TooManyRequests } from '@quittance/contracts/errors'
import {
  acceptInvitation,
  accountMailRequested,
  declineInvitation,
  listInvitations,
  listOwnInvitations,
  revokeInvitation,
} from '@quittance/contracts/invitations'
import { createOrganization, listOrganizations } from '@quittance/contracts/organizations'
import { hashToken } from '@quittance/runtime/credential'
import { organizationCaller } from '@quittance/testing/callers'
import type { TestService } from '@quittance/testing/harness'
import { expect, test } from 'vitest'
import {
  addAccount,
  addVerifiedAccount,
  applicationCaller,
  operator,
  userCallerFor,
  createTokenCaller,
  startWithUser,
} from './start-with-user.ts'

/** Starts with Ada of Acme Books, and Grace, who has a verified address and no membership. */
async function startWithInvitee() {
  const started = await startWithUser()
  const graceId = await addVerifiedAccount(started.service, 'grace@example.com')
  const invite = async (email = 'grace@example.com') =>
    (await started.service.call(inviteMember, { id: started.organizationId, email }, started.person)).invitation_id ?? ''
  return { ...started, graceId, grace: userCallerFor(graceId, []), invite }
}

const listMemberIds = async (auth: TestService) =>
  (await auth.rows<{ account_id: string }>('select account_id from members')).map(({ account_id }) => account_id)

test('an invitation grants nothing and shows only the name before it is accepted', async () => {
  const { service, organizationId, userId, graceId, grace, invite } = await startWithInvitee()
  await using auth = service
  const id = await invite()
  expect(await listMemberIds(auth)).toEqual([userId])
  const before = await createTokenCaller(auth, graceId, ['organizations:read'])
  expect(before).toMatchObject({ organization_ids: [] })
  expect((await auth.call(listOrganizations, {}, before)).items).toEqual([])
  const { items } = await auth.call(listOwnInvitations, {}, grace)
  expect(items).toEqual([
    {
      id,
      organization_name: 'Acme Books',
      email: 'grace@example.com',
      created_at: expect.any(String),
      expires_at: expect.any(String),
    },
  ])
  await auth.nextEvent(accountMailRequested)
  const eventCount = auth.publishedEvents.length
  const member = await auth.call(acceptInvitation, { id }, grace)
  expect(member).toMatchObject({ organization_id: organizationId, user_id: graceId, email: 'grace@example.com' })
  expect(await auth.nextEvent(tokenRevoked)).toMatchObject({ user_id: graceId })
  expect(auth.publishedEvents.slice(eventCount).map(({ subject }) => subject)).toEqual([tokenRevoked.subject])
  expect(await createTokenCaller(auth, graceId, ['organizations:read'])).toMatchObject({ organization_ids: [organizationId] })
  expect((await auth.call(listOwnInvitations, {}, grace)).items).toEqual([])
})

test('a known and an unknown address get the same reply and the same rows', async () => {
  const { service, organizationId: id, person } = await startWithInvitee()
  await using auth = service
  const same = (reply: object, email: string) =>
    JSON.parse(
      JSON.stringify(reply)
        .replaceAll(email, 'ADDRESS')
        .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'ID')
        .replaceAll(/qt_inv_\w+/g, 'TOKEN')
        .replaceAll(/"\d{4}-[^"]+"/g, '"TIME"'),
    )
  const known = await auth.call(inviteMember, { id, email: 'grace@example.com' }, person)
  const unknown = await auth.call(inviteMember, { id, email: 'nobody@example.com' }, person)
  expect(same(known, 'grace@example.com')).toEqual(same(unknown, 'nobody@example.com'))
  expect(known).toMatchObject({ organization_id: id, email: 'grace@example.com', status: 'invited', user_id: known.invitation_id })
  expect(await auth.rows('select from accounts where id = any($1)', [[known.user_id, unknown.user_id]])).toEqual([])
  const { items } = await auth.call(listInvitations, { id }, person)
  expect(items.map((item) => same(item, item.email))).toEqual([same(items[0] as object, 'grace@example.com'), expect.anything()])
  expect(items.map(({ email }) => email)).toEqual(['grace@example.com', 'nobody@example.com'])
})

test('the address of a member returns that member, whom the inviter may list', async () => {
  const { service, organizationId: id, userId, person } = await startWithInvitee()
  await using auth = service
  const reply = await auth.call(inviteMember, { id, email: 'ADA@example.com' }, person)
  expect(reply).toMatchObject({ user_id: userId, email: 'ada@example.com', status: 'member', invitation_id: null, invitation_url: null })
  expect(await auth.rows('select from invitations')).toEqual([])
})

test('only the account with the verified address accepts or declines', async () => {
  const { service, userId, graceId, grace, person, organizationId, invite } = await startWithInvitee()
  await using auth = service
  const id = await invite()
  const eve = userCallerFor(await addVerifiedAccount(auth, 'eve@example.com'), [])
  const unverified = userCallerFor(await addAccount(auth, 'linus@example.com'), [])
  const forLinus = await invite('linus@example.com')
  for (const answer of [acceptInvitation, declineInvitation]) {
    await expect(auth.call(answer, { id }, eve)).rejects.toThrow(ResourceNotFound)
    await expect(auth.call(answer, { id: randomUUID() }, grace)).rejects.toThrow(ResourceNotFound)
    await expect(auth.call(answer, { id: forLinus }, unverified)).rejects.toThrow(NotPermitted)
    await expect(auth.call(answer, { id }, applicationCaller(graceId, []))).rejects.toThrow(NotPermitted)
    // The inviter, who created the link.
    await auth.rows('update accounts set email_verified_at = now() where id = $1', [userId])
    await expect(auth.call(answer, { id }, person)).rejects.toThrow(ResourceNotFound)
  }
  expect((await auth.call(listOwnInvitations, {}, eve)).items).toEqual([])
  expect((await auth.call(listOwnInvitations, {}, unverified)).items).toEqual([])
  await expect(auth.call(listOwnInvitations, {}, applicationCaller(graceId, []))).rejects.toThrow(NotPermitted)
  expect(await listMemberIds(auth)).toEqual([userId])
  expect((await auth.call(listInvitations, { id: organizationId }, person)).items).toHaveLength(2)
})

test('an invitation is accepted or declined once, also on concurrent requests', async () => {
  const { service, grace, graceId, userId, invite } = await startWithInvitee()
  await using auth = service
  const declined = await invite()
  await auth.call(declineInvitation, { id: declined }, grace)
  await expect(auth.call(acceptInvitation, { id: declined }, grace)).rejects.toThrow(ResourceNotFound)
  const id = await invite()
  const outcomes = await Promise.allSettled([auth.call(acceptInvitation, { id }, grace), auth.call(acceptInvitation, { id }, grace)])
  expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  expect((await listMemberIds(auth)).toSorted()).toEqual([userId, graceId].toSorted())
})

test('an invitation expires after seven days', async () => {
  const { service, organizationId, person, grace, invite } = await startWithInvitee()
  await using auth = service
  const id = await invite()
  const [lifetime] = await auth.rows<{ days: number }>(
    'select extract(epoch from expires_at - created_at)::int / 86400 as days from invitations',
  )
  expect(lifetime).toEqual({ days: 7 })
  await auth.rows(`update invitations set created_at = now() - interval '8 days', expires_at = now() - interval '1 second'`)
  expect((await auth.call(listOwnInvitations, {}, grace)).items).toEqual([])
  expect((await auth.call(listInvitations, { id: organizationId }, person)).items).toEqual([])
  await expect(auth.call(acceptInvitation, { id }, grace)).rejects.toThrow(ResourceNotFound)
})

test('inviting again replaces the open invitation to the address, in any case and concurrently', async () => {
  const { service, organizationId: id, person, grace, invite } = await startWithInvitee()
  await using auth = service
  const first = await invite()
  const others = await Promise.all(['GRACE@example.com', 'Grace@Example.com', 'grace@example.com'].map(invite))
  const { items } = await auth.call(listInvitations, { id }, person)
  expect(items).toHaveLength(1)
  expect(others).toContain(items[0]?.id)
  await expect(auth.call(acceptInvitation, { id: first }, grace)).rejects.toThrow(ResourceNotFound)
  await expect(
    auth.rows(
      `insert into invitations (id, organization_id, email, invited_by, token_hash, expires_at)
       select gen_random_uuid(), organization_id, upper(email), invited_by, repeat('0', 64), expires_at
       from invitations where closed_at is null`,
    ),
  ).rejects.toThrow(/invitations_open/)
})

test('the token of the link is shown once and stored as a hash', async () => {
  const { service, organizationId: id, person } = await startWithInvitee()
  await using auth = service
  const { invitation_url } = await auth.call(inviteMember, { id, email: 'grace@example.com' }, person)
  const url = new URL(invitation_url ?? '')
  expect(url.pathname).toBe('/oauth2/account/invitations')
  const token = url.searchParams.get('token') ?? ''
  expect(token).toMatch(/^qt_inv_/)
  const rows = await auth.rows<{ token_hash: string }>('select * from invitations')
  expect(rows.map(({ token_hash }) => token_hash)).toEqual([hashToken(token)])
  expect(JSON.stringify(rows)).not.toContain(token)
  expect(JSON.stringify(await auth.call(listInvitations, { id }, person))).not.toContain('qt_inv_')
})

test('a revoked invitation cannot be accepted, also if revoked through the 0.1.0 member path', async () => {
  const { service, organizationId: id, person, grace, invite } = await startWithInvitee()
  await using auth = service
  const revoked = await invite()
  await auth.call(revokeInvitation, { id, invitation_id: revoked }, person)
  await expect(auth.call(acceptInvitation, { id: revoked }, grace)).rejects.toThrow(ResourceNotFound)
  await expect(auth.call(revokeInvitation, { id, invitation_id: revoked }, person)).rejects.toThrow(ResourceNotFound)
  const removed = await invite()
  await auth.call(removeMember, { id, user_id: removed }, person)
  await expect(auth.call(acceptInvitation, { id: removed }, grace)).rejects.toThrow(ResourceNotFound)
})

test('other users cannot find invitations of an organization, applications cannot change them', async () => {
  const { service, organizationId: id, userId, grace, invite } = await startWithInvitee()
  await using auth = service
  const invitation_id = await invite()
  await expect(auth.call(listInvitations, { id }, grace)).rejects.toThrow(ResourceNotFound)
  await expect(auth.call(revokeInvitation, { id, invitation_id }, grace)).rejects.toThrow(ResourceNotFound)
  const foreign = await auth.call(createOrganization, { name: 'Foreign', slug: 'foreign' }, grace)
  const graceWithOrganization = userCallerFor(grace.user_id, [foreign.id])
  await expect(auth.call(revokeInvitation, { id: foreign.id, invitation_id }, graceWithOrganization)).rejects.toThrow(ResourceNotFound)
  await expect(auth.call(removeMember, { id: foreign.id, user_id: invitation_id }, graceWithOrganization)).rejects.toThrow(ResourceNotFound)
  await expect(auth.call(revokeInvitation, { id, invitation_id }, applicationCaller(userId, [id]))).rejects.toThrow(NotPermitted)
  expect((await auth.call(listInvitations, { id }, organizationCaller(id))).items).toHaveLength(1)
})

test('a removed member cannot return through a sent or received invitation', async () => {
  const { service, organizationId: id, userId, person, graceId, grace, invite } = await startWithInvitee()
  await using auth = service
  const own = await invite()
  await auth.call(addMember, { organization_id: id, user_id: graceId }, operator)
  const graceAsMember = userCallerFor(graceId, [id])
  const accomplice = userCallerFor(await addVerifiedAccount(auth, 'accomplice@example.com'), [])
  const sent = await auth.call(inviteMember, { id, email: 'accomplice@example.com' }, graceAsMember)
  await auth.call(removeMember, { id, user_id: graceId }, person)
  await expect(auth.call(acceptInvitation, { id: own }, grace)).rejects.toThrow(ResourceNotFound)
  await expect(auth.call(acceptInvitation, { id: sent.invitation_id ?? '' }, accomplice)).rejects.toThrow(ResourceNotFound)
  // A gateway may cache the membership for a few seconds.
  await expect(auth.call(inviteMember, { id, email: 'accomplice@example.com' }, graceAsMember)).rejects.toThrow(ResourceNotFound)
  expect(await listMemberIds(auth)).toEqual([userId])
})

test('limits invitations to 50 a day per organization and 100 per user, including closed ones', async () => {
  const { service, organizationId: id, userId, person } = await startWithInvitee()
  await using auth = service
  const used = (organizationId: string, count: number) =>
    auth.rows(
      `insert into invitations (id, created_at, organization_id, email, invited_by, token_hash, expires_at, closed_at, outcome)
       select gen_random_uuid(), now() - interval '1 hour', $1, 'x@example.com', $2, encode(sha256(gen_random_uuid()::text::bytea), 'hex'),
         now() + interval '1 day', now(), 'revoked' from generate_series(1, $3)`,
      [organizationId, userId, count],
    )
  await used(id, 49)
  await auth.call(inviteMember, { id, email: 'a@example.com' }, person)
  const rejected = auth.call(inviteMember, { id, email: 'a@example.com' }, person)
  await expect(rejected).rejects.toThrow(TooManyRequests)
  await expect(rejected).rejects.toMatchObject({ retryAfterSeconds: expect.any(Number) })
  const second = await auth.call(createOrganization, { name: 'Second', slug: 'second' }, person)
  const both = userCallerFor(userId, [id, second.id])
  await used(second.id, 49)
  await auth.call(inviteMember, { id: second.id, email: 'a@example.com' }, both)
  const third = await auth.call(createOrganization, { name: 'Third', slug: 'third' }, person)
  const invite = auth.call(inviteMember, { id: third.id, email: 'a@example.com' }, userCallerFor(userId, [third.id]))
  await expect(invite).rejects.toThrow(TooManyRequests)
})
