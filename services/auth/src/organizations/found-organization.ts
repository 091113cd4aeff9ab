import { organizationCreated, type Organization as OrganizationShape } from '@quittance/contracts/organizations'
import type { Transaction } from '@quittance/runtime/handler'
import type { JsonText } from '@quittance/runtime/view'
import { forget } from '../access-tokens/forget-token.ts'
import { Member } from '../accounts/member.ts'
import { defaultSubscriptionSettings, Organization, type ProfileChange } from './organization.ts'
import { organizationView } from './organization-view.ts'

/** A new organization; whoever founds it is its first member. */
export interface Founding {
  accountId: string
  name: string
  slug: string
  profile: ProfileChange
}

/** Whether another organization has the slug already. */
export async function isSlugTaken({ rows }: Pick<Transaction, 'rows'>, slug: string): Promise<boolean> {
  return (await rows('organization.slug-taken', `select 1 from organizations where slug = :slug`, { slug })).length > 0
}

export async function foundOrganization(
  { em, read, publish, actFor }: Transaction,
  { accountId, name, slug, profile }: Founding,
): Promise<JsonText<OrganizationShape>> {
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
  em.create(Member, { organizationId: organization.id, accountId, createdAt: new Date() })
  actFor(organization.id)
  const view = await read.one(organizationView, { where: 'o.id = :id', values: { id: organization.id } })
  publish({ event: organizationCreated, aggregateId: organization.id, organizationId: organization.id, payload: view })
  // Gateways remember which organizations the person had.
  publish(forget({ aggregateId: accountId, organizationId: organization.id, user_id: accountId }))
  return view
}
