import type { InvoiceSettings } from '@quittance/contracts/invoice-settings'
import type { View } from '@quittance/runtime/view'
import { usualSettings } from './seller-settings.ts'

export const settingsView: View<InvoiceSettings> = {
  name: 'invoice-settings',
  organization: 's.organization_id',
  from: 'invoice_settings s',
  columns: `s.organization_id, s.legal_name, s.address, s.tax_id, s.logo, s.footer, s.locale, s.paper, s.invoice_prefix, s.credit_note_prefix,
    s.yearly, s.padding, s.electronic`,
}

/** Settings of an organization that never said anything. */
export function unsaid(organizationId: string): InvoiceSettings {
  const { legalName, address, taxId, logo, footer, locale, paper, invoicePrefix, creditNotePrefix, ...numbering } = usualSettings
  return {
    organization_id: organizationId,
    legal_name: legalName,
    address,
    tax_id: taxId,
    ...{ logo, footer, locale, paper },
    invoice_prefix: invoicePrefix,
    credit_note_prefix: creditNotePrefix,
    ...numbering,
  }
}
