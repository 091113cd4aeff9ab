import { createOrganization as contract, organizationCreated } from '@quittance/contracts/organizations'
import { NotPermitted, RequestValidationError } from '@quittance/contracts/errors'
import { command } from '@quittance/runtime/handler'
import { forget } from '../access-tokens/forget-token.ts'
import { Member } from '../accounts/member.ts'
import { defaultSubscriptionSettings, Organization } from './organization.ts'
import { organizationView } from './organization-view.ts'

export const createOrganization = command(contract, async ({ name, slug, ...profile }, { em, caller, read, rows, publish, actFor }) => {
  if (caller.kind !== 'user') throw new NotPermitted('Only a person can create an organization.')
  const taken = await rows('organization.slug-taken', `select 1 from organizations where slug = :slug`, { slug })
  if (taken.length > 0) throw RequestValidationError.field(['slug'], 'An organization with this slug already exists.')
  const organization = em.create(Organization, {
    name,
    slug,
    avatarUrl: null,
    email: null,
    website: null,
    socials: [],
    subscriptionSettings: defaultSubscriptionSettings,
  })
  organization.change(profile)
  await em.flush()
  em.create(Member, { organizationId: organization.id, accountId: caller.user_id, createdAt: new Date() })
  actFor(organization.id)
  const view = await read.one(organizationView, { where: 'o.id = :id', values: { id: organization.id } })
  publish({ event: organizationCreated, aggregateId: organization.id, organizationId: organization.id, payload: view })
  // Gateways remember which organizations the person had.
  publish(forget({ aggregateId: caller.user_id, organizationId: organization.id, user_id: caller.user_id }))
  return view
})
