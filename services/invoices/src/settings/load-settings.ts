import type { Transaction } from '@quittance/runtime/handler'
import { deriveInvoicePrefix } from '../series/number-format.ts'
import { SellerSettings, defaultSettings } from './seller-settings.ts'

/** Loads the settings of an organization, or creates them, and locks them until the transaction ends. */
export async function loadSettingsForUpdate(
  organizationId: string,
  { em, lockNames }: Pick<Transaction, 'em' | 'lockNames'>,
): Promise<SellerSettings> {
  await lockNames([`invoice settings ${organizationId}`])
  const known = await em.findOne(SellerSettings, { organizationId })
  return known ?? em.create(SellerSettings, { ...defaultSettings, organizationId })
}

/** Loads the settings for issuing a document. If no prefix was chosen, it is derived from the slug now and then stays. */
export async function loadSettings(
  organization: { id: string; slug: string },
  context: Pick<Transaction, 'em' | 'lockNames'>,
): Promise<SellerSettings> {
  const settings = await loadSettingsForUpdate(organization.id, context)
  settings.invoicePrefix ??= deriveInvoicePrefix(organization.slug, { ...settings.numbering() })
  await context.em.flush()
  return settings
}
