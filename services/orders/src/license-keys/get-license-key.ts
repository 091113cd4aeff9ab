import { getLicenseKey as contract } from '@quittance/contracts/license-keys'
import { query } from '@quittance/runtime/handler'
import { licenseKeyWithActivationsView } from './license-key-view.ts'

export const getLicenseKey = query(contract, ({ id }, { read }) =>
  read.one(licenseKeyWithActivationsView, { where: 'k.id = :id', values: { id } }),
)
