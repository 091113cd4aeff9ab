import type {
  LicenseKeyActivationRead,
  LicenseKeyRead,
  LicenseKeyWithActivations,
  ValidatedLicenseKey,
} from '@quittance/contracts/license-keys'
import { nested, nestedList, type View } from '@quittance/runtime/view'
import { customerColumns } from '../customers/customer-view.ts'

/** Columns of a license key; `k` is the key. */
const columns = `k.id, k.created_at, k.modified_at, k.organization_id, k.customer_id,
  ${nested(customerColumns, 'customers c where c.id = k.customer_id')} as customer,
  k.benefit_id, k.key, k.display_key, k.status, k.limit_activations, k.usage, k.limit_usage, k.validations, k.last_validated_at, k.expires_at`

/** Columns of an activation; `a` is the activation. Its conditions are a secret between it and its software. */
const activationColumns = `a.id, a.license_key_id, a.label, a.meta, a.created_at, a.modified_at`

const bound = { organization: 'k.organization_id', customer: 'k.customer_id', from: 'license_keys k' }

export const licenseKeyView: View<LicenseKeyRead> = { name: 'license-key', ...bound, key: 'k.id', columns }

const activationsOf = (condition: string) =>
  nestedList(activationColumns, `license_key_activations a where a.license_key_id = k.id${condition} order by a.created_at, a.id`)

export const licenseKeyWithActivationsView: View<LicenseKeyWithActivations> = {
  name: 'license-key-with-activations',
  ...bound,
  columns: `${columns}, ${activationsOf('')} as activations`,
}

/** The same for its customer, to whom the seller may choose not to show activations. */
export const customerLicenseKeyView: View<LicenseKeyWithActivations> = {
  name: 'customer-license-key',
  ...bound,
  columns: `${columns}, ${activationsOf(' and k.enable_customer_admin')} as activations`,
}

/** With the activation of the parameter `activation_id`, null where that is. */
export const validatedLicenseKeyView: View<ValidatedLicenseKey> = {
  name: 'validated-license-key',
  ...bound,
  columns: `${columns}, ${nested(activationColumns, 'license_key_activations a where a.license_key_id = k.id and a.id = :activation_id')} as activation`,
}

export const licenseKeyActivationView: View<LicenseKeyActivationRead> = {
  name: 'license-key-activation',
  ...bound,
  from: 'license_key_activations a join license_keys k on k.id = a.license_key_id',
  columns: `${activationColumns}, ${nested(columns)} as license_key`,
}
