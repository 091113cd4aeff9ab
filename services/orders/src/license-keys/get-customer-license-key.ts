import { getCustomerLicenseKey as contract } from '@quittance/contracts/license-keys'
import { query } from '@quittance/runtime/handler'
import { customerLicenseKeyView } from './license-key-view.ts'

export const getCustomerLicenseKey = query(contract, ({ id }, { read }) =>
  read.one(customerLicenseKeyView, { where: 'k.id = :id', values: { id } }),
)
