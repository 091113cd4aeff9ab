import { getInvoice as contract, type Invoice } from '@quittance/contracts/invoices'
import { query } from '@quittance/runtime/handler'
import { documentLinkTo } from '../documents/document-link-to.ts'
import { invoiceView } from './invoice-view.ts'

export const getInvoice = query(contract, async ({ id }, { read, now }) => {
  const invoice = JSON.parse(await read.one(invoiceView, { where: 'i.id = :id', values: { id } })) as Invoice
  return { ...invoice, url: invoice.sha256 && documentLinkTo(id, now) }
})
