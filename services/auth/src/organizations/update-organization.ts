import { organizationUpdated, updateOrganization as contract } from '@quittance/contracts/organizations'
import { command } from '@quittance/runtime/handler'
import { Organization } from './organization.ts'
import { organizationView } from './organization-view.ts'

export const updateOrganization = command(contract, async ({ id, ...change }, { em, read, publish }) => {
  const organization = await em.findOneOrFail(Organization, id)
  organization.change(change)
  const view = await read.one(organizationView, { where: 'o.id = :id', values: { id } })
  publish({ event: organizationUpdated, aggregateId: id, organizationId: id, payload: view })
  return view
})
