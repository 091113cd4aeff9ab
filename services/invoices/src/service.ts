import type { Service } from '@quittance/runtime/service'
import { database } from './database.ts'
import { documentRoutes } from './documents/serve-document.ts'
import { getCustomerOrderInvoice } from './invoices/get-customer-order-invoice.ts'
import { getOrderInvoice } from './invoices/get-order-invoice.ts'
import { onOrderInvoiceRequested } from './invoices/on-order-invoice-requested.ts'
import { renderDueInvoices } from './invoices/render-due-invoices.ts'
import { openBrowser } from './rendering/open-browser.ts'
import { openConverter } from './electronic/open-converter.ts'
import { correctInvoice } from './invoices/correct-invoice.ts'
import { getCreditNote } from './invoices/get-credit-note.ts'
import { getInvoice } from './invoices/get-invoice.ts'
import { getInvoiceUbl } from './invoices/get-invoice-ubl.ts'
import { listCreditNotes } from './invoices/list-credit-notes.ts'
import { listInvoices } from './invoices/list-invoices.ts'
import { reviveGivenUp } from './invoices/revive-given-up.ts'
import { verifyInvoice } from './invoices/verify-invoice.ts'
import { listInvoiceSeries } from './series/list-series.ts'
import { getInvoiceSettings } from './settings/get-settings.ts'
import { updateInvoiceSettings } from './settings/update-settings.ts'

/** Invoice documents and their numbers. */
export const invoices: Service = {
  name: 'invoices',
  database,
  handlers: [
    ...[getOrderInvoice, getCustomerOrderInvoice],
    ...[listInvoices, getInvoice, getInvoiceUbl, correctInvoice, verifyInvoice, listInvoiceSeries],
    ...[listCreditNotes, getCreditNote],
    ...[getInvoiceSettings, updateInvoiceSettings],
  ],
  consumers: [onOrderInvoiceRequested],
  jobs: [...renderDueInvoices, reviveGivenUp],
  parts: [openBrowser, openConverter],
  internalRoutes: documentRoutes,
}
