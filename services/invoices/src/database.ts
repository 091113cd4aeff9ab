import type { DatabaseDefinition } from '@quittance/runtime/database'
import { InvoiceSchema } from './invoices/invoice.ts'
import { createInvoices } from './migrations/20261120120000-create-invoices.ts'

export const database: DatabaseDefinition = {
  entities: [InvoiceSchema],
  migrations: [createInvoices],
}
