import {
  activateLicenseKey as activateLicenseKeyContract,
  deactivateLicenseKey as deactivateLicenseKeyContract,
  updateLicenseKey as updateLicenseKeyContract,
} from '@quittance/contracts/license-keys'
import { command, type CommandContext } from '@quittance/runtime/handler'
import { LicenseKeyActivation, LicenseKey } from './license-key.ts'
import { heldLicenseKeyActivationView, licenseKeyView } from './license-key-view.ts'
import { ResourceNotFound } from '@quittance/contracts/errors'
import { LockMode } from '@mikro-orm/core'
import { sharedByCustomers } from '@quittance/sql/sql-runner'

const measure = `
  select count(*)::int as active, coalesce(sum(octet_length(to_json(label)::text) + octet_length(meta::text)), 0)::int as bytes
  from license_key_activations
  where license_key_id = :id and organization_id = any (:scope_organizations) and ${sharedByCustomers}`

export const activateLicenseKey = command(activateLicenseKeyContract, async (request, context) => {
  const { em, now, read } = context
  const key = await lockLicenseKey(context, request)
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
  return read.one(heldLicenseKeyActivationView, { where: 'a.id = :id', values: { id: activation.id } })
})

/** Works for any key, active or not: the user of a new device may release the old one. */
export const deactivateLicenseKey = command(deactivateLicenseKeyContract, async (request, context) => {
  const key = await lockLicenseKey(context, request)
  const ended = await context.em.nativeDelete(LicenseKeyActivation, { id: request.activation_id, licenseKeyId: key.id })
  if (ended === 0) throw new ResourceNotFound('This license key does not have this activation.')
  return null
})

/**
 * Locks the license key presented by the caller and scopes the transaction to its organization. The lock serializes counting, so concurrent
 * requests never exceed a limit.
 */
export async function lockLicenseKey(
  { em, bindOrganization }: CommandContext,
  { organization_id, key }: { organization_id: string; key: string },
): Promise<LicenseKey> {
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
