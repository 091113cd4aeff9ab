import { LockMode } from '@mikro-orm/core'
import type { CommandContext } from '@quittance/runtime/handler'
import { LicenseKey } from './license-key.ts'

/**
 * The key that somebody holds, locked, and the transaction bound to its organization. One at a time counts on a key, so that no
 * limit is passed however many ask at once.
 */
export async function findHeldLicenseKey(
  { em, actFor }: CommandContext,
  { organization_id, key }: { organization_id: string; key: string },
): Promise<LicenseKey> {
  const options = { filters: { organization: false, customer: false }, lockMode: LockMode.PESSIMISTIC_WRITE } as const
  const found = await em.findOneOrFail(LicenseKey, { organizationId: organization_id, key }, options)
  actFor(found.organizationId)
  return found
}
