import type { Service } from '@quittance/runtime/service'
import { config } from './config.ts'
import { database } from './database.ts'
import { documentRoutes } from './documents/serve-document.ts'
import {
  getCustomerOrderInvoice,
  getOrderInvoice,
  getCreditNote,
  getInvoice,
  listCreditNotes,
  listInvoices,
} from './invoices/invoice-queries.ts'
import { listCustomerCreditNotes } from './invoices/list-customer-credit-notes.ts'
import { onOrderInvoiceDue, onOrderInvoiceRequested } from './invoices/on-order-invoice-requested.ts'
import { onOrderVoided } from './invoices/on-order-voided.ts'
import { renderDueInvoices } from './invoices/render-due-invoices.ts'
import { startBrowser } from './rendering/browser-component.ts'
import { startConverter } from './electronic/converter-component.ts'
import { correctInvoice } from './invoices/correct-invoice.ts'
import { getInvoiceUbl } from './invoices/get-invoice-ubl.ts'
import { retryFailedDocuments } from './invoices/retry-failed-documents.ts'
import { verifyInvoice } from './invoices/verify-invoice.ts'
import { auditInvoiceSeries, listInvoiceSeries } from './series/series-queries.ts'
import { getInvoiceSettings, updateInvoiceSettings } from './settings/invoice-settings.ts'

/** Service for invoice documents and their numbers. */
export const invoices: Service = {
  name: 'invoices',
  readConfig: config,
  database,
  handlers: [
    getOrderInvoice,
    getCustomerOrderInvoice,
    listInvoices,
    getInvoice,
    getInvoiceUbl,
    correctInvoice,
    verifyInvoice,
    listInvoiceSeries,
    auditInvoiceSeries,
    listCreditNotes,
    getCreditNote,
    listCustomerCreditNotes,
    getInvoiceSettings,
    updateInvoiceSettings,
  ],
  consumers: [onOrderInvoiceRequested, onOrderInvoiceDue, onOrderVoided],
  jobs: [renderDueInvoices, retryFailedDocuments],
  components: [startBrowser, startConverter],
  internalRoutes: documentRoutes,
}
