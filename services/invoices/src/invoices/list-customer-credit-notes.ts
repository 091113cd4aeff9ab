import { listCustomerCreditNotes as contract } from '@quittance/contracts/customer-credit-notes'
import { query } from '@quittance/runtime/handler'
import { oldestFirst } from '@quittance/sql/list-query'
import { createDocumentLink } from '../documents/document-link.ts'
import { customerCreditNoteView, type CustomerCreditNoteRow } from './invoice-view.ts'

interface Page {
  items: CustomerCreditNoteRow[]
  pagination: { total_count: number; max_page: number }
}

/** Returns the credit notes of an order to its buyer; an order of another customer has none. */
export const listCustomerCreditNotes = query(contract, async ({ id, page, limit }, { read, now }) => {
  const filter = { where: 'i.order_id = :id', values: { id } }
  const found = JSON.parse(await read.page(customerCreditNoteView, { ...filter, orderBy: oldestFirst('i'), page, limit })) as Page
  const items = found.items.map(({ sha256, reversal_document_id: reversalId, ...creditNote }) => ({
    ...creditNote,
    reversal_url: reversalId && createDocumentLink(reversalId, now),
    url: sha256 && createDocumentLink(creditNote.id, now),
  }))
  return { ...found, items }
})
