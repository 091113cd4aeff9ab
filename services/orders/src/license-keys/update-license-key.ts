import { LockMode } from '@mikro-orm/core'
import { updateLicenseKey as contract } from '@quittance/contracts/license-keys'
import { command } from '@quittance/runtime/handler'
import { licenseKeyView } from './license-key-view.ts'
import { LicenseKey } from './license-key.ts'

/** The seller's word holds until the next change of the grant: a key of a revoked grant that is set to `granted` works. */
export const updateLicenseKey = command(contract, async ({ id, ...change }, { em, read }) => {
  const key = await em.findOneOrFail(LicenseKey, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE })
  key.change(change)
  return read.one(licenseKeyView, { where: 'k.id = :id', values: { id } })
})
