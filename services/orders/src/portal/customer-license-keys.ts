import {
  getCustomerLicenseKey as getCustomerLicenseKeyContract,
  listCustomerLicenseKeys as listCustomerLicenseKeysContract,
  type LicenseKeyRead,
  type LicenseKeyWithActivations,
} from '@quittance/contracts/license-keys'
import { query } from '@quittance/runtime/handler'
import { toArray, oldestFirst, buildWhere } from '@quittance/sql/list-query'
import type { View } from '@quittance/sql/view'
import { heldLicenseKeyColumns, nestActivations, scopedLicenseKeys } from '../entitlements/license-key-view.ts'

const customersLicenseKeysView: View<LicenseKeyRead> = {
  name: 'customers-license-keys',
  ...scopedLicenseKeys,
  key: 'k.id',
  columns: heldLicenseKeyColumns,
}

/** With the activations, which the seller may hide. */
const customerLicenseKeyView: View<LicenseKeyWithActivations> = {
  name: 'customer-license-key',
  ...scopedLicenseKeys,
  columns: `${heldLicenseKeyColumns}, ${nestActivations(' and k.enable_customer_admin')} as activations`,
}

export const getCustomerLicenseKey = query(getCustomerLicenseKeyContract, ({ id }, { read }) =>
  read.one(customerLicenseKeyView, { where: 'k.id = :id', values: { id } }),
)

export const listCustomerLicenseKeys = query(listCustomerLicenseKeysContract, ({ organization_id, benefit_id, page, limit }, { read }) =>
  read.page(customersLicenseKeysView, {
    ...buildWhere({
      organization_id: { sql: 'k.organization_id = any(:organization_id)', value: toArray(organization_id) },
      benefit_id: { sql: 'k.benefit_id = :benefit_id', value: benefit_id },
    }),
    orderBy: oldestFirst('k'),
    page,
    limit,
  }),
)
