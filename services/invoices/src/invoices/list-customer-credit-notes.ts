import { listCustomerCreditNotes as contract, type CustomerCreditNote } from '@quittance/contracts/customer-credit-notes'
import { query } from '@quittance/runtime/handler'
import { oldestFirst } from '@quittance/sql/list-query'
import { createDocumentLink } from '../documents/document-link.ts'
import { customerCreditNoteView } from './invoice-view.ts'

interface Page {
  items: (Omit<CustomerCreditNote, 'url'> & { sha256: string | null })[]
  pagination: { total_count: number; max_page: number }
}

/** Returns the credit notes of an order to its buyer; an order of another customer has none. */
export const listCustomerCreditNotes = query(contract, async ({ id, page, limit }, { read, now }) => {
  const filter = { where: 'i.order_id = :id', values: { id } }
  const found = JSON.parse(await read.page(customerCreditNoteView, { ...filter, orderBy: oldestFirst('i'), page, limit })) as Page
  const items = found.items.map(({ sha256, ...creditNote }) => ({
    ...creditNote,
    url: sha256 && createDocumentLink(creditNote.id, now),
  }))
  return { ...found, items }
})
