import { organizationCreated, type Organization as OrganizationShape } from '@quittance/contracts/organizations'
import type { SystemTransaction, Transaction } from '@quittance/runtime/handler'
import type { JsonText } from '@quittance/sql/view'
import { snapshotJobName } from './publish-snapshots.ts'
import { tokenRevokedEvent } from '../identity/token-revoked.ts'
import { Member } from '../identity/member.ts'
import { defaultSubscriptionSettings, Organization, type ProfileChange, organizationView } from './organization.ts'

/** A new organization; its creator is its first member. */
export interface NewOrganization {
  accountId: string
  name: string
  slug: string
  profile: ProfileChange
}

/** First segments of public addresses. An organization that has one from an earlier release keeps it: its portal has another path. */
const reservedSlugs: ReadonlySet<string> = new Set([
  'admin',
  'api',
  'buy',
  'cancel',
  'checkout',
  'console',
  'docs',
  'embed',
  'healthz',
  'livez',
  'mailbox',
  'metrics',
  'oauth2',
  'openapi',
  'portal',
  'readyz',
  'unsubscribe',
  'verify',
  'well-known',
  'withdraw',
])

/** Returns whether the slug is reserved for an address of the system, or another organization has it. */
export async function isSlugTaken({ systemSql }: Pick<SystemTransaction, 'systemSql'>, slug: string): Promise<boolean> {
  if (reservedSlugs.has(slug)) return true
  return (await systemSql('organization.slug-taken', `select 1 from organizations where slug = :slug`, { slug })).length > 0
}

export async function createOrganizationWithOwner(
  { em, read, publish, bindOrganization, wake }: Transaction,
  { accountId, name, slug, profile }: NewOrganization,
): Promise<JsonText<OrganizationShape>> {
  const organization = em.create(Organization, {
    name,
    slug,
    avatarUrl: null,
    email: null,
    website: null,
    socials: [],
    subscriptionSettings: defaultSubscriptionSettings,
    customerEmailSettings: {},
    pageSettings: {},
    snapshotPublishedAt: null,
  })
  organization.change(profile)
  await em.flush()
  em.create(Member, { organizationId: organization.id, accountId, createdAt: new Date() })
  bindOrganization(organization.id)
  const view = await read.one(organizationView, { where: 'o.id = :id', values: { id: organization.id } })
  publish({ event: organizationCreated, aggregateId: organization.id, organizationId: organization.id, payload: view })
  wake(snapshotJobName)
  // Gateways cache the organizations of the user.
  publish(tokenRevokedEvent({ aggregateId: accountId, organizationId: organization.id, user_id: accountId }))
  return view
}

/** Derives a slug from a name: a-z and digits, single hyphens, 3 to 40 characters; padded if the name yields fewer. */
export function slugify(name: string): string {
  const slug = name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 40)
    .replaceAll(/^-+|-+$/g, '')
  return slug.length >= 3 ? slug : `${slug}${slug && '-'}organization`
}
