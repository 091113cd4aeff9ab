import type {
  LicenseKeyActivationRead,
  LicenseKeyRead,
  LicenseKeyWithActivations,
  ValidatedLicenseKey,
} from '@quittance/contracts/license-keys'
import { nested, nestedList, type View } from '@quittance/sql/view'
import { buyerColumns, grantBuyer } from '../customers/buyer-view.ts'
import { customerColumns } from '../customers/customer-view.ts'

/** Columns of a license key; `k` is the key. */
const columnsWith = (customer: string) => `k.id, k.created_at, k.modified_at, k.organization_id, k.customer_id, ${customer} as customer,
  k.benefit_id, k.key, k.display_key, k.status, k.limit_activations, k.usage, k.limit_usage, k.validations, k.last_validated_at, k.expires_at`

/** For the seller. */
const columns = columnsWith(nested(customerColumns, 'customers c where c.id = k.customer_id'))

/** For its customer and for software that has the key: with the details of the purchase that granted it. */
export const heldLicenseKeyColumns = columnsWith(nested(...grantBuyer({ grant: 'k.grant_id', customer: 'k.customer_id' }, buyerColumns)))

/** Columns of an activation; `a` is the activation. Its conditions are omitted: they are a secret of the software that set them. */
const activationColumns = `a.id, a.license_key_id, a.label, a.meta, a.created_at, a.modified_at`

/** Source and scope of the views of a license key. */
export const scopedLicenseKeys = {
  organization: 'k.organization_id',
  customer: 'k.customer_id',
  checkout: `exists (select from benefit_grants bg join orders x on x.id = bg.order_id or x.subscription_id = bg.subscription_id
    where bg.id = k.grant_id and x.checkout_id = :checkout)`,
  from: 'license_keys k',
}

export const licenseKeyView: View<LicenseKeyRead> = {
  name: 'license-key',
  ...scopedLicenseKeys,
  key: 'k.id',
  counter: { list: 'license_keys', time: 'k.created_at' },
  columns,
}

/** Activations of the key; `condition` is SQL that starts with a space. */
export const nestActivations = (condition: string) =>
  nestedList(activationColumns, `license_key_activations a where a.license_key_id = k.id${condition} order by a.created_at, a.id`)

export const licenseKeyWithActivationsView: View<LicenseKeyWithActivations> = {
  name: 'license-key-with-activations',
  ...scopedLicenseKeys,
  columns: `${columns}, ${nestActivations('')} as activations`,
}

/** The activation of the parameter `activation_id`; null if the parameter is null. */
const namedActivation = `${nested(activationColumns, 'license_key_activations a where a.license_key_id = k.id and a.id = :activation_id')} as activation`

/** For the seller. */
export const validatedLicenseKeyView: View<ValidatedLicenseKey> = {
  name: 'validated-license-key',
  ...scopedLicenseKeys,
  columns: `${columns}, ${namedActivation}`,
}

/** The same for software that has the key. */
export const heldValidatedLicenseKeyView: View<ValidatedLicenseKey> = {
  ...validatedLicenseKeyView,
  name: 'held-validated-license-key',
  columns: `${heldLicenseKeyColumns}, ${namedActivation}`,
}

export const licenseKeyActivationView: View<LicenseKeyActivationRead> = {
  name: 'license-key-activation',
  ...scopedLicenseKeys,
  from: 'license_key_activations a join license_keys k on k.id = a.license_key_id',
  columns: `${activationColumns}, ${nested(columns)} as license_key`,
}

/** The same for the software that created it. */
export const heldLicenseKeyActivationView: View<LicenseKeyActivationRead> = {
  ...licenseKeyActivationView,
  name: 'held-license-key-activation',
  columns: `${activationColumns}, ${nested(heldLicenseKeyColumns)} as license_key`,
}
