import { getLicenseKeyActivation as contract } from '@quittance/contracts/license-keys'
import { query } from '@quittance/runtime/handler'
import { licenseKeyActivationView } from './license-key-view.ts'

export const getLicenseKeyActivation = query(contract, ({ id, activation_id }, { read }) =>
  read.one(licenseKeyActivationView, { where: 'k.id = :id and a.id = :activation_id', values: { id, activation_id } }),
)
