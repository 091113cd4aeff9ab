import { creditNoteReversed } from '@quittance/contracts/invoices'
import type { Transaction } from '@quittance/runtime/handler'
import { referTo, type DocumentSnapshot } from './document-snapshot.ts'
import type { Invoice } from './invoice.ts'
import { readCreditNotes } from './issue-credit-notes.ts'
import { issueDocument } from './issue-document.ts'
import { applyTransferPayment } from './transfer-payment.ts'

const insertReversed = `
  insert into reversed_refunds (refund_id, organization_id, order_id)
  select refund_id, :organization_id::uuid, :order_id::uuid from unnest(:refund_ids::uuid[]) refund_id
  where :organization_id::uuid = any (:scope_organizations)
  on conflict do nothing`

const selectReversed = `select refund_id from reversed_refunds where order_id = :order_id and organization_id = any (:scope_organizations)`

/**
 * Records the refunds that were reversed and returns the ids of all of the order. An event that arrives later but was published before then
 * credits none of them.
 */
export async function recordReversedRefunds(source: Invoice['source'], { sql }: Pick<Transaction, 'sql'>): Promise<Set<string>> {
  const { order_id, organization, reversed_refunds: refunds } = source
  if (refunds && refunds.length > 0) {
    const refund_ids = refunds.map(({ id }) => id)
    await sql('invoice.record-reversed', insertReversed, { organization_id: organization.id, order_id, refund_ids })
  }
  const reversed = await sql<{ refund_id: string }>('invoice.reversed-refunds', selectReversed, { order_id })
  return new Set(reversed.map(({ refund_id }) => refund_id))
}

/** Reverses the credit notes of refunds that were returned: an invoice over the same amounts refers to each. */
export async function reverseCreditNotes(invoice: Invoice, reversed: ReadonlySet<string>, context: Transaction): Promise<void> {
  if (reversed.size === 0) return
  const { valid } = await readCreditNotes(invoice, context)
  for (const creditNote of valid) {
    if (creditNote.refundId && reversed.has(creditNote.refundId)) await reverseCreditNote(creditNote, { invoice, context })
  }
}

async function reverseCreditNote(creditNote: Invoice, { invoice, context }: { invoice: Invoice; context: Transaction }): Promise<void> {
  const credited = creditNote.printed as DocumentSnapshot
  const { buyer, lines, subtotal, discount, net, tax, total, taxes } = credited
  const reversal = await issueDocument(
    {
      kind: 'invoice',
      source: await applyTransferPayment(invoice.source, context),
      reversesId: creditNote.id,
      adjust: (snapshot) => ({ ...referTo(snapshot, credited), buyer, lines, subtotal, discount, net, tax, total, taxes }),
    },
    context,
  )
  context.publish({
    event: creditNoteReversed,
    aggregateId: invoice.orderId,
    organizationId: invoice.organizationId,
    payload: {
      order_id: invoice.orderId,
      invoice_id: invoice.id,
      refund_id: creditNote.refundId as string,
      credit_note_id: creditNote.id,
      credit_note_number: creditNote.number,
      reversal_id: reversal.id,
      reversal_number: reversal.number,
      currency: invoice.source.currency,
      net_amount: net,
      tax_amount: tax,
      total_amount: total,
      reversed_at: context.now.toISOString(),
    },
  })
}
