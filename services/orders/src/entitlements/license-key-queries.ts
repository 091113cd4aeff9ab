import {
  getLicenseKey as getLicenseKeyContract,
  getLicenseKeyActivation as getLicenseKeyActivationContract,
  listLicenseKeys as listLicenseKeysContract,
} from '@quittance/contracts/license-keys'
import { query } from '@quittance/runtime/handler'
import { licenseKeyWithActivationsView, licenseKeyActivationView, licenseKeyView } from './license-key-view.ts'
import { toArray, oldestFirst, buildWhere } from '@quittance/sql/list-query'

export const getLicenseKey = query(getLicenseKeyContract, ({ id }, { read }) =>
  read.one(licenseKeyWithActivationsView, { where: 'k.id = :id', values: { id } }),
)

export const getLicenseKeyActivation = query(getLicenseKeyActivationContract, ({ id, activation_id }, { read }) =>
  read.one(licenseKeyActivationView, { where: 'k.id = :id and a.id = :activation_id', values: { id, activation_id } }),
)

export const listLicenseKeys = query(listLicenseKeysContract, ({ organization_id, benefit_id, status, page, limit }, { read }) =>
  read.page(licenseKeyView, {
    ...buildWhere({
      organization_id: { sql: 'k.organization_id = any(:organization_id)', value: toArray(organization_id) },
      benefit_id: { sql: 'k.benefit_id = any(:benefit_id)', value: toArray(benefit_id) },
      status: { sql: 'k.status = any(:status)', value: toArray(status) },
    }),
    orderBy: oldestFirst('k'),
    page,
    limit,
  }),
)
