import { listCreditNotes as contract } from '@quittance/contracts/invoices'
import { query } from '@quittance/runtime/handler'
import { asList, whereGiven } from '@quittance/runtime/list'
import { creditNoteView } from './invoice-view.ts'
import { filtersOf, orderOf } from './document-filters.ts'

export const listCreditNotes = query(contract, ({ sorting, page, limit, corrects_id, ...filters }, { read }) => {
  const corrects = { sql: 'i.corrects_id = any(:corrects_id)', value: asList(corrects_id) }
  return read.page(creditNoteView, {
    ...whereGiven({ ...filtersOf(filters), corrects_id: corrects }),
    orderBy: orderOf(sorting),
    page,
    limit,
  })
})
