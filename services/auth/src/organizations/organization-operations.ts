import {
  createOrganization as createOrganizationContract,
  organizationUpdated,
  updateOrganization as updateOrganizationContract,
  getOrganization as getOrganizationContract,
  listOrganizations as listOrganizationsContract,
} from '@quittance/contracts/organizations'
import { NotPermitted, RequestValidationError } from '@quittance/contracts/errors'
import { command, query } from '@quittance/runtime/handler'
import { systemCommand } from '@quittance/runtime/system-handler'
import { createOrganizationWithOwner, isSlugTaken } from './create-organization-with-owner.ts'
import { Organization, organizationView } from './organization.ts'
import { snapshotJobName } from './publish-snapshots.ts'
import { buildSortOrder } from '@quittance/sql/list-query'

export const createOrganization = systemCommand(
  createOrganizationContract,
  { reason: 'a slug is unique among all organizations' },
  async ({ name, slug, ...profile }, context) => {
    const { caller } = context
    if (caller.kind !== 'user') throw new NotPermitted('Only a user can create an organization.')
    if (await isSlugTaken(context, slug))
      throw RequestValidationError.field(['slug'], 'This slug is reserved, or another organization has it.')
    return createOrganizationWithOwner(context, { accountId: caller.user_id, name, slug, profile })
  },
)

export const updateOrganization = command(updateOrganizationContract, async ({ id, ...change }, { em, read, publish, wake }) => {
  const organization = await em.findOneOrFail(Organization, id)
  organization.change(change)
  const view = await read.one(organizationView, { where: 'o.id = :id', values: { id } })
  publish({ event: organizationUpdated, aggregateId: id, organizationId: id, payload: view })
  wake(snapshotJobName)
  return view
})

export const getOrganization = query(getOrganizationContract, ({ id }, { read }) =>
  read.one(organizationView, { where: 'o.id = :id', values: { id } }),
)

const columns = { created_at: 'o.created_at', slug: 'o.slug', name: 'o.name' }

export const listOrganizations = query(listOrganizationsContract, ({ page, limit, slug, sorting }, { read }) =>
  read.page(organizationView, {
    where: slug === undefined ? 'true' : 'o.slug = :slug',
    values: { slug },
    orderBy: buildSortOrder(columns, { sorting, tieBreakers: ['o.created_at', 'o.id'] }),
    page,
    limit,
  }),
)
