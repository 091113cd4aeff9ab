import { getOrderInvoice, invoiceDocumentPath } from '@quittance/contracts/invoices'
import { orderInvoiceRequested, type InvoiceSource } from '@quittance/contracts/invoice-source'
import { orderInvoiceDue, type UnpaidInvoiceSource } from '@quittance/contracts/unpaid-invoices'
import { organizationCaller } from '@quittance/testing/callers'
import { eventually } from '@quittance/testing/eventually'
import { startTestService, type TestService } from '@quittance/testing/harness'
import { afterAll, beforeAll } from 'vitest'
import { browser } from '../src/rendering/browser-component.ts'
import { invoices } from '../src/service.ts'

export interface InvoiceRow {
  id: string
  order_id: string
  number: string
  status: 'requested' | 'generated' | 'failed'
  attempts: number
  last_error: string | null
}

export interface TestInvoices extends TestService {
  /** Publishes the event that `orders` publishes when an invoice is requested. */
  requestInvoice(source: InvoiceSource, messageId?: string): Promise<void>
  /** Publishes the event of an order that waits for a bank transfer. */
  requestUnpaidInvoice(source: UnpaidInvoiceSource): Promise<void>
  /** Waits until the invoice of an order has this status, and returns its row. */
  waitForStatus(source: Pick<InvoiceSource, 'order_id'>, status: InvoiceRow['status']): Promise<InvoiceRow>
  /** Returns the public link of an order's document. */
  link(source: Pick<InvoiceSource, 'order_id' | 'organization'>): Promise<URL>
  /** Requests a public link as the gateway does. */
  download(link: URL, init?: RequestInit): Promise<Response>
}

/** Keeps the browser running between the tests of a file: it takes longer to start than a document to print. */
export function keepBrowser(): void {
  beforeAll(() => browser.open())
  afterAll(() => browser.close())
}

export async function startInvoices(): Promise<TestInvoices> {
  const service = await startTestService(invoices)
  const loadRow = async ({ order_id }: Pick<InvoiceSource, 'order_id'>) =>
    (
      await service.rows<InvoiceRow>(
        `select id, order_id, number, status, attempts, last_error from invoices where order_id = $1 and kind = 'invoice'
         order by requested_at desc limit 1`,
        [order_id],
      )
    )[0]
  return {
    ...service,
    async requestInvoice(source, messageId) {
      await service.emit(orderInvoiceRequested, source, {
        organizationId: source.organization.id,
        aggregateId: source.order_id,
        ...(messageId && { id: messageId }),
      })
    },
    async requestUnpaidInvoice(source) {
      await service.emit(orderInvoiceDue, source, { organizationId: source.organization.id, aggregateId: source.order_id })
    },
    waitForStatus: (source, status) =>
      eventually(async () => {
        const row = await loadRow(source)
        if (row?.status !== status)
          throw new Error(`The invoice is ${row ? `${row.status} after ${row.attempts} attempts: ${row.last_error}` : 'not issued'}`)
        return row
      }),
    async link(source) {
      const { url } = await service.call(getOrderInvoice, { id: source.order_id }, organizationCaller(source.organization.id))
      return new URL(url)
    },
    download: (link, init) =>
      fetch(`http://127.0.0.1:${service.healthPort()}${link.pathname.replace(invoiceDocumentPath, '/documents')}${link.search}`, init),
  }
}
