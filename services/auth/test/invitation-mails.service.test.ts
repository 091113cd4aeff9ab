import { accountMailRequested } from '@quittance/contracts/invitations'
import { inviteMember } from '@quittance/contracts/accounts'
import { mailSecretContext } from '@quittance/contracts/customer-codes'
import { createOrganization, organizationSnapshotted, updateOrganization } from '@quittance/contracts/organizations'
import { openSecret } from '@quittance/runtime/encryption'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'

const key = Buffer.alloc(32, 5)
process.env['MAIL_KEY'] = key.toString('base64')
const { startWithUser } = await import('./start-with-user.ts')

test('an invitation has its link mailed; outbox and stream have it encrypted [pages 89]', async () => {
  const { service, organizationId, person } = await startWithUser()
  await using auth = service
  const { invitation_url: url, invitation_id: id } = await auth.call(
    inviteMember,
    { id: organizationId, email: 'grace@example.com' },
    person,
  )
  const event = await auth.nextEvent(accountMailRequested)
  expect(event).toMatchObject({ kind: 'invitation', source_id: id, recipient: 'grace@example.com' })
  expect(openSecret(event.sealed_url, { keys: [key], context: mailSecretContext('invitation', id ?? '') })).toBe(url)
  const token = URL.parse(url ?? '')?.searchParams.get('token') ?? ''
  expect(token).toMatch(/^qt_inv_/)
  const outbox = await auth.rows<{ payload: string }>('select payload from outbox_messages')
  expect(JSON.stringify([outbox, auth.publishedEvents])).not.toContain(token)
})

test('publishes the state of an organization after its creation, after a change, and every three days', async () => {
  const { service, organizationId, person } = await startWithUser()
  await using auth = service
  const created = await auth.nextEvent(organizationSnapshotted)
  expect(created).toMatchObject({ id: organizationId, name: 'Acme Books', customer_email_settings: { order_confirmation: true } })
  const settings = { customer_email_settings: { order_confirmation: false } }
  const changed = await auth.call(updateOrganization, { id: organizationId, ...settings }, person)
  expect(changed.customer_email_settings).toMatchObject({ order_confirmation: false, subscription_revoked: true })
  expect((await auth.nextEvent(organizationSnapshotted)).customer_email_settings).toEqual(changed.customer_email_settings)
  await auth.rows(`update organizations set snapshot_published_at = now() - interval '4 days'`)
  await auth.rows(`notify wake, 'publish-organization-snapshots'`)
  expect(await auth.nextEvent(organizationSnapshotted)).toMatchObject({ id: organizationId })
  await eventually(async () => {
    const due = await auth.rows(
      `select from organizations where snapshot_published_at is null or snapshot_published_at < now() - interval '1 day'`,
    )
    expect(due).toEqual([])
  })
})

test('an organization whose state cannot be published delays no other', async () => {
  const { service, organizationId, person } = await startWithUser()
  await using auth = service
  const { id: otherId } = await auth.call(createOrganization, { name: 'Other Books', slug: 'other-books' }, person)
  for (const id of [organizationId, otherId]) expect(await auth.nextEvent(organizationSnapshotted)).toMatchObject({ id })
  await auth.rows(`create function fail() returns trigger language plpgsql as $$ begin raise exception 'not possible'; end $$`)
  await auth.rows(
    `create trigger fail before update on organizations for each row
     when (new.id = '${organizationId}' and new.snapshot_published_at > now() - interval '1 day') execute function fail()`,
  )
  await auth.rows(
    `update organizations set snapshot_published_at = now() - case id when $1 then interval '5 days' else interval '4 days' end`,
    [organizationId],
  )
  await auth.rows(`notify wake, 'publish-organization-snapshots'`)
  expect(await auth.nextEvent(organizationSnapshotted)).toMatchObject({ id: otherId })
  await auth.rows('drop trigger fail on organizations')
  await auth.rows(`notify wake, 'publish-organization-snapshots'`)
  expect(await auth.nextEvent(organizationSnapshotted)).toMatchObject({ id: organizationId })
})
