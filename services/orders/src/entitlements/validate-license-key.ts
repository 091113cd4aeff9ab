import { isDeepStrictEqual } from 'node:util'
import { ResourceNotFound } from '@quittance/contracts/errors'
import { validateLicenseKey as contract, validateSoldLicenseKey as soldContract } from '@quittance/contracts/license-keys'
import type { RequestOf } from '@quittance/contracts/operation'
import { command, type CommandContext } from '@quittance/runtime/handler'
import { lockPresentedKey, lockSoldKey } from './license-key-commands.ts'
import { LicenseKeyActivation, type LicenseKey } from './license-key.ts'
import { heldValidatedLicenseKeyView, validatedLicenseKeyView } from './license-key-view.ts'

type Request = RequestOf<typeof contract>

export const validateLicenseKey = command(contract, async (request, context) =>
  validate(await lockPresentedKey(context, request), { request, context, view: heldValidatedLicenseKeyView }),
)

export const validateSoldLicenseKey = command(soldContract, async (request, context) =>
  validate(await lockSoldKey(context, request), { request, context, view: validatedLicenseKeyView }),
)

interface Validation {
  request: Request
  context: CommandContext
  view: typeof validatedLicenseKeyView
}

async function validate(key: LicenseKey, { request, context, view }: Validation) {
  const { now, read } = context
  key.assertActive(now)
  assertSameHolder(key, request)
  if (request.activation_id) await requireActivation(request.activation_id, { key, request, context })
  key.validate({ uses: request.increment_usage ?? 0, now })
  return read.one(view, { where: 'k.id = :id', values: { id: key.id, activation_id: request.activation_id ?? null } })
}

/** Rejects a valid key of another product or customer. */
function assertSameHolder(key: LicenseKey, { benefit_id, customer_id }: Request): void {
  if (benefit_id && benefit_id !== key.benefitId) throw new ResourceNotFound('This license key belongs to another benefit.')
  if (customer_id && customer_id !== key.customerId) throw new ResourceNotFound('This license key belongs to another customer.')
}

/** Requires the activation. One created with conditions is only valid with the same conditions. */
async function requireActivation(
  id: string,
  { key, request, context }: { key: LicenseKey; request: Request; context: CommandContext },
): Promise<void> {
  const { conditions } = await context.em.findOneOrFail(LicenseKeyActivation, { id, licenseKeyId: key.id })
  if (Object.keys(conditions).length > 0 && !isDeepStrictEqual(conditions, { ...request.conditions })) {
    throw new ResourceNotFound('This license key was activated with other conditions.')
  }
}
