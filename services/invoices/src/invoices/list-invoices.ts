import { listInvoices as contract } from '@quittance/contracts/invoices'
import { query } from '@quittance/runtime/handler'
import { whereGiven } from '@quittance/runtime/list'
import { invoiceView } from './invoice-view.ts'
import { filtersOf, orderOf } from './document-filters.ts'

export const listInvoices = query(contract, ({ sorting, page, limit, ...filters }, { read }) =>
  read.page(invoiceView, { ...whereGiven(filtersOf(filters)), orderBy: orderOf(sorting), page, limit }),
)
