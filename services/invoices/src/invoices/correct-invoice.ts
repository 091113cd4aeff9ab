import { LockMode } from '@mikro-orm/core'
import { RequestValidationError } from '@quittance/contracts/errors'
import { correctInvoice as contract, InvoiceNotCorrectable } from '@quittance/contracts/invoices'
import type { RequestOf } from '@quittance/contracts/operation'
import { findMissingAddressParts } from '@quittance/contracts/postal-codes'
import { command, type Transaction } from '@quittance/runtime/handler'
import { loadSettings } from '../settings/load-settings.ts'
import { findMissingSellerDetails } from '../settings/missing-seller-details.ts'
import { correctBuyer } from './correct-buyer.ts'
import { computeRemainder } from './credit-content.ts'
import { creditNoteView, invoiceView } from './invoice-view.ts'
import { referTo, type DocumentSnapshot, type DocumentSource } from './document-snapshot.ts'
import { Invoice } from './invoice.ts'
import { issueCreditNote, readCreditNotes, issueRefundCreditNotes } from './issue-credit-notes.ts'
import { issueDocument, lockDocuments } from './issue-document.ts'
import { renderingJobName } from './rendering-jobs.ts'
import { applyTransferPayment } from './transfer-payment.ts'

type Correction = RequestOf<typeof contract>

export const correctInvoice = command(contract, async ({ id, ...correction }, context) => {
  const { em, read, wake } = context
  assertComplete(correction)
  const known = await em.findOneOrFail(Invoice, { id, kind: 'invoice' }, { fields: ['orderId'], disableIdentityMap: true })
  await lockDocuments(context, known.orderId)
  const invoice = await em.findOneOrFail(Invoice, { id, kind: 'invoice' }, { lockMode: LockMode.PESSIMISTIC_WRITE })
  await assertCorrectable(invoice, context)
  const source = await applyTransferPayment(invoice.source, context)
  const { all, valid } = await readCreditNotes(invoice, context)
  // The newest address that a document of the order has.
  const { email } = ((all.at(-1) ?? invoice).printed as DocumentSnapshot).buyer
  const creditNote = await creditRemainder(invoice, { valid, isOffset: 'transfer' in source, email, context })
  const replacement = await replace(invoice, { correction, source, email, context })
  await reissueCredits(invoice, { valid, replacement, email, context })
  wake(renderingJobName)
  const [creditNoteJson, replacementJson] = await Promise.all([
    read.one(creditNoteView, { where: 'i.id = :id', values: { id: creditNote.id } }),
    read.one(invoiceView, { where: 'i.id = :id', values: { id: replacement.id } }),
  ])
  return { credit_note: JSON.parse(creditNoteJson), replacement: JSON.parse(replacementJson) }
})

function assertComplete({ billing_address }: Omit<Correction, 'id'>): void {
  const [part] = billing_address ? findMissingAddressParts(billing_address) : []
  if (!part) return
  const name = part === 'state' ? 'state or province' : 'postal code'
  throw RequestValidationError.field(['billing_address', part], `Addresses in this country require a ${name}.`, 'missing')
}

async function assertCorrectable({ id, status, printed, reversesId, source }: Invoice, context: Transaction): Promise<void> {
  if (reversesId) throw new InvoiceNotCorrectable('The invoice reverses a credit note. Correct the invoice of the order.')
  if (status !== 'generated' || !printed) throw new InvoiceNotCorrectable('Only a generated invoice can be corrected.')
  if ((await context.em.count(Invoice, { replacesId: id })) > 0) throw new InvoiceNotCorrectable('The invoice has already been replaced.')
  const { always, whenTaxed } = findMissingSellerDetails(await loadSettings(source.organization, context))
  const missing = source.tax_amount === 0 ? always : [...always, ...whenTaxed]
  if (missing.length === 0) return
  throw new InvoiceNotCorrectable(
    `The law of the seller's country requires more data of the seller. Missing in the invoice settings: ${missing.join(', ')}.`,
  )
}

interface Crediting {
  /** Credit notes of the invoice that are not reversed. */
  valid: readonly Invoice[]
  isOffset: boolean
  email: string
  context: Transaction
}

/** Issues a credit note for the part of the invoice that is not credited yet; a reversed credit note credits nothing. */
async function creditRemainder(invoice: Invoice, { valid, isOffset, email, context }: Crediting): Promise<Invoice> {
  const credited = valid.map(({ printed }) => printed as DocumentSnapshot)
  const remainder = computeRemainder(invoice.printed as DocumentSnapshot, credited)
  const isNothingLeft = remainder.net === 0 && remainder.tax === 0
  if (credited.length > 0 && (isNothingLeft || remainder.net < 0 || remainder.tax < 0)) {
    throw new InvoiceNotCorrectable('Nothing is left to correct: credit notes cover the whole invoice.')
  }
  return issueCreditNote(invoice, { ...remainder, refund: null, isOffset, email }, context)
}

interface Replacing {
  correction: Omit<Correction, 'id'>
  source: DocumentSource
  email: string
  context: Transaction
}

function replace(invoice: Invoice, { correction, source, email, context }: Replacing): Promise<Invoice> {
  const original = invoice.printed as DocumentSnapshot
  const buyer = { ...correctBuyer(original, correction), email }
  // An invoice that lacks the exemption is corrected by the one in the settings.
  const keepsExemption = Boolean(original.seller.taxExemption)
  const adjust = (snapshot: DocumentSnapshot) => ({
    ...referTo(snapshot, original),
    ...(!keepsExemption && { seller: snapshot.seller }),
    buyer,
  })
  return issueDocument({ kind: 'invoice', source, replacesId: invoice.id, adjust }, context)
}

/** Issues the refund credit notes of the corrected invoice again for its replacement. */
async function reissueCredits(
  invoice: Invoice,
  { valid, replacement, email, context }: { valid: readonly Invoice[]; replacement: Invoice; email: string; context: Transaction },
): Promise<void> {
  const refunds = valid.flatMap(({ refundId, printed }) =>
    refundId && printed
      ? [
          {
            id: refundId,
            amount: printed.net,
            tax_amount: printed.tax,
            reason: printed.refund?.reason ?? null,
            created_at: printed.refund?.refundedAt ?? printed.issuedAt,
          },
        ]
      : [],
  )
  await issueRefundCreditNotes(replacement, { source: { ...invoice.source, customer_email: email, refunds }, reversed: new Set() }, context)
}
