import type { Transaction } from '@quittance/runtime/handler'
import { creditOf, type Credit } from './credited.ts'
import type { FrozenDocument } from './frozen-document.ts'
import { Invoice } from './invoice.ts'
import { issueDocument } from './issue-document.ts'

/** A credit note for every refund that has none of this invoice yet. */
export async function creditRefunds(invoice: Invoice, source: Invoice['source'], context: Transaction): Promise<void> {
  if (source.refunds.length === 0) return
  const credited = await creditNotesOf(invoice, context)
  for (const { id, amount, tax_amount } of source.refunds) {
    if (credited.some(({ refundId }) => refundId === id)) continue
    await credit(invoice, { refundId: id, net: amount, tax: tax_amount }, context)
  }
}

/** A credit note of an invoice: for a refund, or for what is left of it when it was wrong. */
export function credit(
  invoice: Invoice,
  { refundId, ...given }: Credit & { refundId: string | null },
  context: Transaction,
): Promise<Invoice> {
  const invoiced = invoice.printed as FrozenDocument
  return issueDocument(
    {
      kind: 'credit_note',
      source: invoice.source,
      correctsId: invoice.id,
      refundId,
      changed: (frozen) => ({ ...frozen, buyer: invoiced.buyer, ...creditOf(invoiced, given) }),
    },
    context,
  )
}

export function creditNotesOf({ id }: Invoice, { em }: Pick<Transaction, 'em'>): Promise<Invoice[]> {
  return em.find(Invoice, { kind: 'credit_note', correctsId: id }, { orderBy: { requestedAt: 'asc', id: 'asc' } })
}
