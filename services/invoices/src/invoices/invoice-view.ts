import type { View } from '@quittance/runtime/view'

/** Where the invoice of an order stands, for whoever asks for its document. */
export const invoiceView: View<{ id: string; status: 'requested' | 'generated' | 'failed' }> = {
  name: 'invoice',
  organization: 'i.organization_id',
  customer: 'i.customer_id',
  from: 'invoices i',
  columns: 'i.id, i.status',
}
