import { getPortalOrganization as contract } from '@quittance/contracts/customer-portal'
import { query } from '@quittance/runtime/handler'
import { portalOrganizationView } from './portal-organization-view.ts'

export const getPortalOrganization = query(contract, ({ slug }, { read }) =>
  read.one(portalOrganizationView, { where: 'g.slug = :slug', values: { slug } }),
)
