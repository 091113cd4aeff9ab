import type { InvoiceSettings } from '@quittance/contracts/invoice-settings'
import type { View } from '@quittance/runtime/view'

export const settingsView: View<InvoiceSettings> = {
  name: 'invoice-settings',
  organization: 's.organization_id',
  from: 'invoice_settings s',
  columns: `s.organization_id, s.legal_name, s.address, s.tax_id, s.logo, s.footer, s.locale, s.paper, s.invoice_prefix, s.credit_note_prefix,
    s.yearly, s.padding, s.electronic`,
}

/** Settings of an organization that never said anything. */
export function unsaid(organizationId: string): InvoiceSettings {
  return {
    organization_id: organizationId,
    legal_name: null,
    address: null,
    tax_id: null,
    logo: null,
    footer: null,
    locale: null,
    paper: null,
    invoice_prefix: null,
    credit_note_prefix: null,
    yearly: false,
    padding: 4,
    electronic: false,
  }
}
