import { isDeepStrictEqual } from 'node:util'
import { ResourceNotFound } from '@quittance/contracts/errors'
import { validateLicenseKey as contract } from '@quittance/contracts/license-keys'
import type { RequestOf } from '@quittance/contracts/operation'
import { command, type CommandContext } from '@quittance/runtime/handler'
import { findHeldLicenseKey } from './find-held-license-key.ts'
import { LicenseKeyActivation } from './license-key-activation.ts'
import { validatedLicenseKeyView } from './license-key-view.ts'
import type { LicenseKey } from './license-key.ts'

type Request = RequestOf<typeof contract>

export const validateLicenseKey = command(contract, async (request, context) => {
  const { now, read } = context
  const key = await findHeldLicenseKey(context, request)
  key.refuseUnlessGood(now)
  refuseOther(key, request)
  if (request.activation_id) await demandActivation(request.activation_id, { key, request, context })
  key.validate({ uses: request.increment_usage ?? 0, now })
  return read.one(validatedLicenseKeyView, { where: 'k.id = :id', values: { id: key.id, activation_id: request.activation_id ?? null } })
})

/** A good key of another product or person opens nothing. */
function refuseOther(key: LicenseKey, { benefit_id, customer_id }: Request): void {
  if (benefit_id && benefit_id !== key.benefitId) throw new ResourceNotFound('This license key is of another benefit.')
  if (customer_id && customer_id !== key.customerId) throw new ResourceNotFound('This license key is of another customer.')
}

/** An activation that was made under conditions is good under the same ones only. */
async function demandActivation(
  id: string,
  { key, request, context }: { key: LicenseKey; request: Request; context: CommandContext },
): Promise<void> {
  const { conditions } = await context.em.findOneOrFail(LicenseKeyActivation, { id, licenseKeyId: key.id })
  if (Object.keys(conditions).length > 0 && !isDeepStrictEqual(conditions, { ...request.conditions })) {
    throw new ResourceNotFound('This license key was activated under other conditions.')
  }
}
