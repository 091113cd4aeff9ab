import {
  getInvoice as getInvoiceContract,
  type Invoice,
  listInvoices as listInvoicesContract,
  getCreditNote as getCreditNoteContract,
  type CreditNote,
  listCreditNotes as listCreditNotesContract,
  getOrderInvoice as getOrderInvoiceContract,
  getCustomerOrderInvoice as getCustomerOrderInvoiceContract,
} from '@quittance/contracts/invoices'
import { query, type QueryContext } from '@quittance/runtime/handler'
import { createDocumentLink } from '../documents/document-link.ts'
import { invoiceView, creditNoteView, invoiceOfOrderView, type InvoiceOfOrder } from './invoice-view.ts'
import { buildWhere, toArray, buildSortOrder, type Filter } from '@quittance/sql/list-query'
import { ResourceNotFound } from '@quittance/contracts/errors'

export const getInvoice = query(getInvoiceContract, async ({ id }, { read, now }) => {
  const invoice = JSON.parse(await read.one(invoiceView, { where: 'i.id = :id', values: { id } })) as Invoice
  return { ...invoice, url: invoice.sha256 && createDocumentLink(id, now) }
})

export const listInvoices = query(listInvoicesContract, ({ sorting, page, limit, ...filters }, { read }) =>
  read.page(invoiceView, { ...buildWhere(buildDocumentFilters(filters)), orderBy: buildDocumentSort(sorting), page, limit }),
)

export const getCreditNote = query(getCreditNoteContract, async ({ id }, { read, now }) => {
  const creditNote = JSON.parse(await read.one(creditNoteView, { where: 'i.id = :id', values: { id } })) as CreditNote
  return { ...creditNote, url: creditNote.sha256 && createDocumentLink(id, now) }
})

export const listCreditNotes = query(listCreditNotesContract, ({ sorting, page, limit, corrects_id, ...filters }, { read }) => {
  const corrects = { sql: 'i.corrects_id = any(:corrects_id)', value: toArray(corrects_id) }
  return read.page(creditNoteView, {
    ...buildWhere({ ...buildDocumentFilters(filters), corrects_id: corrects }),
    orderBy: buildDocumentSort(sorting),
    page,
    limit,
  })
})

const absenceDetails = {
  requested: 'The invoice of this order is being generated. Retry in a few seconds.',
  failed: 'The invoice of this order could not be generated yet.',
  none: 'The invoice of this order has not been generated. Request it with POST on the same URL; if that was moments ago, retry.',
}

/** A request for an invoice arrives here by event, typically within milliseconds. */
const arrivalSeconds = 1

/** Selects the current invoice of an order. Until a replacement is generated, that is the replaced invoice. */
const isCurrentInvoice = `i.id = (select x.id from invoices x where x.order_id = :id and x.kind = 'invoice' and x.reverses_id is null
  order by (x.status = 'generated') desc, x.requested_at desc, x.id desc limit 1)`

/** Returns a new link for seller or buyer. An order of another caller is reported as an order without an invoice. */
export async function getOrderDocument({ id }: { id: string }, { read, now }: QueryContext): Promise<{ url: string }> {
  const found = await read.oneOrNull(invoiceOfOrderView, { where: isCurrentInvoice, values: { id } })
  const invoice = found === null ? null : (JSON.parse(found) as InvoiceOfOrder)
  if (!invoice) throw new ResourceNotFound(absenceDetails.none, { retryAfterSeconds: arrivalSeconds })
  if (invoice.status !== 'generated') {
    throw new ResourceNotFound(absenceDetails[invoice.status], { retryAfterSeconds: invoice.ready_in ?? undefined })
  }
  return { url: createDocumentLink(invoice.id, now) }
}

export const getOrderInvoice = query(getOrderInvoiceContract, getOrderDocument)

export const getCustomerOrderInvoice = query(getCustomerOrderInvoiceContract, getOrderDocument)

/** Filters common to invoices and credit notes. */
interface Filters {
  organization_id?: string | readonly string[] | undefined
  order_id?: string | readonly string[] | undefined
  customer_id?: string | readonly string[] | undefined
}

export function buildDocumentFilters({ organization_id, order_id, customer_id }: Filters): Record<string, Filter> {
  return {
    organization_id: { sql: 'i.organization_id = any(:organization_id)', value: toArray(organization_id) },
    order_id: { sql: 'i.order_id = any(:order_id)', value: toArray(order_id) },
    customer_id: { sql: 'i.customer_id = any(:customer_id)', value: toArray(customer_id) },
  }
}

/** Numbers sort by series and position: as texts, 10000 would precede 9999. */
const columns = { issued_at: ['i.requested_at'], invoice_number: ['i.series', 'i.position'] }

export function buildDocumentSort(sorting: readonly string[]) {
  const properties = sorting.flatMap((property) => {
    const sign = property.startsWith('-') ? '-' : ''
    return columns[property.slice(sign.length) as keyof typeof columns].map((column) => sign + column)
  })
  const sortable = Object.fromEntries(
    Object.values(columns)
      .flat()
      .map((column) => [column, column]),
  )
  return buildSortOrder(sortable, { sorting: properties, tieBreakers: ['i.requested_at', 'i.id'] })
}
