import { getOrganization as contract } from '@quittance/contracts/organizations'
import { query } from '@quittance/runtime/handler'
import { organizationView } from './organization-view.ts'

export const getOrganization = query(contract, ({ id }, { read }) => read.one(organizationView, { where: 'o.id = :id', values: { id } }))
