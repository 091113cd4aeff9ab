import { claimNames } from '@quittance/runtime/claim'
import type { Transaction } from '@quittance/runtime/handler'
import { prefixOf } from '../series/number-format.ts'
import { SellerSettings, usualSettings } from './seller-settings.ts'

/** The settings of an organization, made where there are none; nobody else changes them until the transaction ends. */
export async function openSettings(organizationId: string, { em, rows }: Pick<Transaction, 'em' | 'rows'>): Promise<SellerSettings> {
  await claimNames(rows, [`invoice settings ${organizationId}`])
  const known = await em.findOne(SellerSettings, { organizationId })
  return known ?? em.create(SellerSettings, { ...usualSettings, organizationId })
}

/** The settings an organization's documents are issued by. Where nobody chose a prefix it is taken from the slug now, and stays. */
export async function settingsOf(
  organization: { id: string; slug: string },
  context: Pick<Transaction, 'em' | 'rows'>,
): Promise<SellerSettings> {
  const settings = await openSettings(organization.id, context)
  settings.invoicePrefix ??= prefixOf(organization.slug, settings)
  await context.em.flush()
  return settings
}
