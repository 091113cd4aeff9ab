import type { Transaction } from '@quittance/runtime/handler'
import { prefixOf } from '../series/number-format.ts'
import { SellerSettings, usualSettings } from './seller-settings.ts'

/** The settings an organization's documents are issued by. Where nobody chose a prefix it is taken from the slug now, and stays. */
export async function settingsOf(organization: { id: string; slug: string }, { em }: Pick<Transaction, 'em'>): Promise<SellerSettings> {
  const organizationId = organization.id
  const known = await em.findOne(SellerSettings, { organizationId })
  const settings = known ?? em.create(SellerSettings, { ...usualSettings, organizationId })
  settings.invoicePrefix ??= prefixOf(organization.slug, settings)
  await em.flush()
  return settings
}
