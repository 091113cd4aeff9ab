import { listLicenseKeys as contract } from '@quittance/contracts/license-keys'
import { query } from '@quittance/runtime/handler'
import { asList, oldestFirst, whereGiven } from '@quittance/runtime/list'
import { licenseKeyView } from './license-key-view.ts'

export const listLicenseKeys = query(contract, ({ organization_id, benefit_id, page, limit }, { read }) =>
  read.page(licenseKeyView, {
    ...whereGiven({
      organization_id: { sql: 'k.organization_id = any(:organization_id)', value: asList(organization_id) },
      benefit_id: { sql: 'k.benefit_id = any(:benefit_id)', value: asList(benefit_id) },
    }),
    orderBy: oldestFirst('k'),
    page,
    limit,
  }),
)
