import type { Service } from '@quittance/runtime/service'
import { database } from './database.ts'
import { documentRoutes } from './documents/serve-document.ts'
import { getCustomerOrderInvoice } from './invoices/get-customer-order-invoice.ts'
import { getOrderInvoice } from './invoices/get-order-invoice.ts'
import { onOrderInvoiceRequested } from './invoices/on-order-invoice-requested.ts'
import { renderDueInvoices } from './invoices/render-due-invoices.ts'
import { openBrowser } from './rendering/open-browser.ts'

/** Invoice documents and their numbers. */
export const invoices: Service = {
  name: 'invoices',
  database,
  handlers: [getOrderInvoice, getCustomerOrderInvoice],
  consumers: [onOrderInvoiceRequested],
  jobs: renderDueInvoices,
  parts: [openBrowser],
  internalRoutes: documentRoutes,
}
