import {
  activateLicenseKey as activateLicenseKeyContract,
  activateSoldLicenseKey as activateSoldLicenseKeyContract,
  deactivateLicenseKey as deactivateLicenseKeyContract,
  deactivateSoldLicenseKey as deactivateSoldLicenseKeyContract,
  updateLicenseKey as updateLicenseKeyContract,
} from '@quittance/contracts/license-keys'
import type { RequestOf } from '@quittance/contracts/operation'
import { command, type CommandContext } from '@quittance/runtime/handler'
import { LicenseKeyActivation, LicenseKey } from './license-key.ts'
import { heldLicenseKeyActivationView, licenseKeyActivationView, licenseKeyView } from './license-key-view.ts'
import { ResourceNotFound } from '@quittance/contracts/errors'
import { LockMode } from '@mikro-orm/core'
import { sharedByCustomers } from '@quittance/sql/sql-runner'

const measure = `
  select count(*)::int as active, coalesce(sum(octet_length(to_json(label)::text) + octet_length(meta::text)), 0)::int as bytes
  from license_key_activations
  where license_key_id = :id and organization_id = any (:scope_organizations) and ${sharedByCustomers}`

export const activateLicenseKey = command(activateLicenseKeyContract, async (request, context) =>
  activate(await lockPresentedKey(context, request), { request, context, view: heldLicenseKeyActivationView }),
)

export const activateSoldLicenseKey = command(activateSoldLicenseKeyContract, async (request, context) =>
  activate(await lockSoldKey(context, request), { request, context, view: licenseKeyActivationView }),
)

/** Works for any key, active or not: the user of a new device may release the old one. */
export const deactivateLicenseKey = command(deactivateLicenseKeyContract, async (request, context) =>
  deactivate(await lockPresentedKey(context, request), { request, context }),
)

export const deactivateSoldLicenseKey = command(deactivateSoldLicenseKeyContract, async (request, context) =>
  deactivate(await lockSoldKey(context, request), { request, context }),
)

interface Activation {
  request: RequestOf<typeof activateLicenseKeyContract>
  context: CommandContext
  view: typeof licenseKeyActivationView
}

async function activate(key: LicenseKey, { request, context, view }: Activation) {
  const { em, now, read } = context
  key.assertActive(now)
  const [held] = await context.sql<{ active: number; bytes: number }>('license-key.measure-activations', measure, { id: key.id })
  key.assertActivationAvailable(held as { active: number; bytes: number })
  const { label, conditions, meta } = request
  const activation = em.create(LicenseKeyActivation, {
    organizationId: key.organizationId,
    licenseKeyId: key.id,
    label,
    conditions,
    meta,
  })
  await em.flush()
  return read.one(view, { where: 'a.id = :id', values: { id: activation.id } })
}

async function deactivate(
  key: LicenseKey,
  { request, context }: { request: RequestOf<typeof deactivateLicenseKeyContract>; context: CommandContext },
): Promise<null> {
  const ended = await context.em.nativeDelete(LicenseKeyActivation, { id: request.activation_id, licenseKeyId: key.id })
  if (ended === 0) throw new ResourceNotFound('This license key does not have this activation.')
  return null
}

type NamedKey = Pick<RequestOf<typeof deactivateLicenseKeyContract>, 'organization_id' | 'key'>

/** Locks a license key of the organizations of the caller. The lock serializes counting, so concurrent requests never exceed a limit. */
export function lockSoldKey({ em }: CommandContext, { organization_id: organizationId, key }: NamedKey): Promise<LicenseKey> {
  return em.findOneOrFail(LicenseKey, { organizationId, key }, { lockMode: LockMode.PESSIMISTIC_WRITE })
}

/** Locks the license key that the caller presents as its credential, and scopes the transaction to its organization. */
export async function lockPresentedKey({ em, bindOrganization }: CommandContext, { organization_id, key }: NamedKey): Promise<LicenseKey> {
  const options = { filters: { organization: false, customer: false }, lockMode: LockMode.PESSIMISTIC_WRITE } as const
  const found = await em.findOneOrFail(LicenseKey, { organizationId: organization_id, key }, options)
  bindOrganization(found.organizationId)
  return found
}

/** Applies the seller's change, which holds until the grant changes: a key of a revoked grant that is set to `granted` works. */
export const updateLicenseKey = command(updateLicenseKeyContract, async ({ id, ...change }, { em, read }) => {
  const key = await em.findOneOrFail(LicenseKey, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE })
  key.change(change)
  return read.one(licenseKeyView, { where: 'k.id = :id', values: { id } })
})
