import type { Transaction } from '@quittance/runtime/handler'
import { buildCreditContent, type CreditAmount } from './credit-content.ts'
import { referTo, type DocumentSnapshot } from './document-snapshot.ts'
import { Invoice } from './invoice.ts'
import { issueDocument } from './issue-document.ts'

/** Issues a credit note for every refund that was not reversed and has none for this invoice yet. */
export async function issueRefundCreditNotes(
  invoice: Invoice,
  { source, reversed }: { source: Invoice['source']; reversed: ReadonlySet<string> },
  context: Transaction,
): Promise<void> {
  if (source.refunds.length === 0) return
  const { all } = await readCreditNotes(invoice, context)
  for (const { id, amount, tax_amount, created_at: refundedAt, reason = null } of source.refunds) {
    if (reversed.has(id) || all.some(({ refundId }) => refundId === id)) continue
    const credited = { refund: { id, reason, refundedAt }, net: amount, tax: tax_amount, email: source.customer_email }
    await issueCreditNote(invoice, credited, context)
  }
}

interface CreditedRefund {
  id: string
  reason: string | null
  refundedAt: string
}

interface Credit extends CreditAmount {
  refund: CreditedRefund | null
  /** Address of the buyer; absent: that of the invoice. */
  email?: string
  /** The invoice is not paid. */
  isOffset?: boolean
  /** The claim of the invoice was given up. */
  isVoid?: boolean
}

/** Issues a credit note for a refund, for the rest of an incorrect invoice, or for one whose claim was given up. */
export async function issueCreditNote(
  invoice: Invoice,
  { refund, email, isOffset, isVoid, ...amount }: Credit,
  context: Transaction,
): Promise<Invoice> {
  const invoiced = invoice.printed as DocumentSnapshot
  const { valid } = await readCreditNotes(invoice, context)
  const credited = valid.map(({ printed }) => printed as DocumentSnapshot)
  return issueDocument(
    {
      kind: 'credit_note',
      source: invoice.source,
      correctsId: invoice.id,
      refundId: refund?.id ?? null,
      adjust: (snapshot) => ({
        ...referTo(snapshot, invoiced),
        buyer: { ...invoiced.buyer, ...(email && { email }) },
        ...buildCreditContent(invoiced, amount, credited),
        ...(isOffset && { isOffset }),
        ...(isVoid && { isVoid }),
        refund: refund && { reason: refund.reason, refundedAt: refund.refundedAt },
      }),
    },
    context,
  )
}

/** Credit notes of one invoice, oldest first. */
export interface CreditNotes {
  all: Invoice[]
  /** Those that no other document reverses. */
  valid: Invoice[]
}

export async function readCreditNotes({ id }: Invoice, { em }: Pick<Transaction, 'em'>): Promise<CreditNotes> {
  const all = await em.find(Invoice, { kind: 'credit_note', correctsId: id }, { orderBy: { requestedAt: 'asc', id: 'asc' } })
  if (all.length === 0) return { all, valid: all }
  const reversals = await em.find(Invoice, { reversesId: { $in: all.map((note) => note.id) } })
  const reversed = new Set(reversals.map(({ reversesId }) => reversesId))
  return { all, valid: all.filter((note) => !reversed.has(note.id)) }
}
