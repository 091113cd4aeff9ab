import { defineEntity, p } from '@mikro-orm/core'
import type { Metadata } from '@quittance/contracts/metadata'
import { organizationFilter } from '@quittance/runtime/database'
import { aggregate } from '@quittance/runtime/entity'

/** A use of a key by one device or the like; deleted when it ends. */
export const LicenseKeyActivationSchema = defineEntity({
  name: 'LicenseKeyActivation',
  tableName: 'license_key_activations',
  properties: {
    ...aggregate,
    organizationId: p.uuid(),
    licenseKeyId: p.uuid(),
    label: p.text(),
    conditions: p.json<Metadata>(),
    meta: p.json<Metadata>(),
  },
  filters: organizationFilter,
})
export class LicenseKeyActivation extends LicenseKeyActivationSchema.class {}
LicenseKeyActivationSchema.setClass(LicenseKeyActivation)
