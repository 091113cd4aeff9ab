import { ResourceNotFound } from '@quittance/contracts/errors'
import { deactivateLicenseKey as contract } from '@quittance/contracts/license-keys'
import { command } from '@quittance/runtime/handler'
import { findHeldLicenseKey } from './find-held-license-key.ts'
import { LicenseKeyActivation } from './license-key-activation.ts'

/** Of any key, good or not: whoever moves to another device may let go of the old one. */
export const deactivateLicenseKey = command(contract, async (request, context) => {
  const key = await findHeldLicenseKey(context, request)
  const ended = await context.em.nativeDelete(LicenseKeyActivation, { id: request.activation_id, licenseKeyId: key.id })
  if (ended === 0) throw new ResourceNotFound('This license key has no such activation.')
  return null
})
