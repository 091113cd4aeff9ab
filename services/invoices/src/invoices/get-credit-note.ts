import { getCreditNote as contract, type CreditNote } from '@quittance/contracts/invoices'
import { query } from '@quittance/runtime/handler'
import { documentLinkTo } from '../documents/document-link-to.ts'
import { creditNoteView } from './invoice-view.ts'

export const getCreditNote = query(contract, async ({ id }, { read, now }) => {
  const creditNote = JSON.parse(await read.one(creditNoteView, { where: 'i.id = :id', values: { id } })) as CreditNote
  return { ...creditNote, url: creditNote.sha256 && documentLinkTo(id, now) }
})
