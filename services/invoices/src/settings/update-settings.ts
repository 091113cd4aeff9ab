import { RequestValidationError } from '@quittance/contracts/errors'
import { updateInvoiceSettings as contract } from '@quittance/contracts/invoice-settings'
import { chosenOrganization } from '@quittance/runtime/chosen-organization'
import { command, type Transaction } from '@quittance/runtime/handler'
import type { SellerSettings } from './seller-settings.ts'
import { openSettings } from './settings-of.ts'
import { settingsView } from './settings-view.ts'

export const updateInvoiceSettings = command(contract, async ({ organization_id, ...change }, context) => {
  const { em, caller, read } = context
  const organizationId = chosenOrganization(caller, organization_id)
  const settings = await openSettings(organizationId, context)
  settings.change(change)
  await em.flush()
  await refuseTakenPrefixes(settings, context)
  return read.one(settingsView, { where: 's.organization_id = :id', values: { id: organizationId } })
})

const ofOtherKind = `
  select kind from document_series
  where organization_id = :organization_id
    and ((kind = 'credit_note' and prefix ~ ('^' || :invoice || '-([0-9]{4}-)?$')) or (kind = 'invoice' and prefix ~ ('^' || :credit_note || '-([0-9]{4}-)?$')))
  limit 1`

/** Invoices and credit notes never share a series, also not one that was used before. */
async function refuseTakenPrefixes(
  { organizationId, invoicePrefix, creditNotePrefix }: SellerSettings,
  { rows }: Transaction,
): Promise<void> {
  const values = { organization_id: organizationId, invoice: invoicePrefix ?? '', credit_note: creditNotePrefix ?? '' }
  const [taken] = await rows<{ kind: 'invoice' | 'credit_note' }>('invoice-settings.taken-prefix', ofOtherKind, values)
  if (!taken) return
  const field = taken.kind === 'invoice' ? 'credit_note_prefix' : 'invoice_prefix'
  throw RequestValidationError.field([field], 'Documents of the other kind have this prefix.')
}
