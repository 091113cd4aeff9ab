import { activateLicenseKey as contract } from '@quittance/contracts/license-keys'
import { command } from '@quittance/runtime/handler'
import { findHeldLicenseKey } from './find-held-license-key.ts'
import { LicenseKeyActivation } from './license-key-activation.ts'
import { licenseKeyActivationView } from './license-key-view.ts'

export const activateLicenseKey = command(contract, async (request, context) => {
  const { em, now, read } = context
  const key = await findHeldLicenseKey(context, request)
  key.refuseUnlessGood(now)
  key.refuseActivation(await em.count(LicenseKeyActivation, { licenseKeyId: key.id }))
  const { label, conditions, meta } = request
  const activation = em.create(LicenseKeyActivation, {
    organizationId: key.organizationId,
    licenseKeyId: key.id,
    label,
    conditions,
    meta,
  })
  await em.flush()
  return read.one(licenseKeyActivationView, { where: 'a.id = :id', values: { id: activation.id } })
})
