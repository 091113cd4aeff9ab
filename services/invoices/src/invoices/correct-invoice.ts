import { LockMode } from '@mikro-orm/core'
import { RequestValidationError } from '@quittance/contracts/errors'
import { correctInvoice as contract, InvoiceNotCorrectable } from '@quittance/contracts/invoices'
import type { RequestOf } from '@quittance/contracts/operation'
import { lacksPostalCode } from '@quittance/contracts/postal-codes'
import { command, type Transaction } from '@quittance/runtime/handler'
import { creditNoteView, invoiceView } from './invoice-view.ts'
import type { FrozenDocument } from './frozen-document.ts'
import { Invoice } from './invoice.ts'
import { credit, creditNotesOf, creditRefunds } from './issue-credit-notes.ts'
import { issueDocument } from './issue-document.ts'
import { renderingLanes } from './rendering-lanes.ts'

type Correction = RequestOf<typeof contract>

export const correctInvoice = command(contract, async ({ id, ...correction }, context) => {
  const { em, read, wake } = context
  refuseIncomplete(correction)
  const invoice = await em.findOneOrFail(Invoice, { id, kind: 'invoice' }, { lockMode: LockMode.PESSIMISTIC_WRITE })
  await refuseUnlessStanding(invoice, context)
  const creditNote = await creditRest(invoice, context)
  const replacement = await replace(invoice, { correction, context })
  await reissueCredits(invoice, { replacement, context })
  wake(...renderingLanes)
  const [told, stands] = await Promise.all([
    read.one(creditNoteView, { where: 'i.id = :id', values: { id: creditNote.id } }),
    read.one(invoiceView, { where: 'i.id = :id', values: { id: replacement.id } }),
  ])
  return { credit_note: JSON.parse(told), replacement: JSON.parse(stands) }
})

function refuseIncomplete({ billing_address }: Omit<Correction, 'id'>): void {
  if (!billing_address || !lacksPostalCode(billing_address)) return
  throw RequestValidationError.field(['billing_address', 'postal_code'], 'Addresses of this country have a postal code.', 'missing')
}

async function refuseUnlessStanding({ id, status, printed }: Invoice, { em }: Transaction): Promise<void> {
  if (status !== 'generated' || !printed) throw new InvoiceNotCorrectable('Only a generated invoice can be corrected.')
  if ((await em.count(Invoice, { replacesId: id })) > 0) throw new InvoiceNotCorrectable('The invoice was replaced already.')
}

/** Takes back what refunds have left of it. */
async function creditRest(invoice: Invoice, context: Transaction): Promise<Invoice> {
  const { net, tax } = invoice.printed as FrozenDocument
  const given = (await creditNotesOf(invoice, context)).map(({ printed }) => printed as FrozenDocument)
  const rest = given.reduce((left, each) => ({ net: left.net - each.net, tax: left.tax - each.tax }), { net, tax })
  if (rest.net === 0 && rest.tax === 0 && given.length > 0) {
    throw new InvoiceNotCorrectable('Nothing is left of the invoice: credit notes took back all of it.')
  }
  return credit(invoice, { ...rest, refundId: null }, context)
}

interface Replacing {
  correction: Omit<Correction, 'id'>
  context: Transaction
}

function replace(invoice: Invoice, { correction, context }: Replacing): Promise<Invoice> {
  const wrong = invoice.printed as FrozenDocument
  const buyer = {
    ...wrong.buyer,
    name: correction.billing_name ?? wrong.buyer.name,
    address: correction.billing_address ?? wrong.buyer.address,
    taxId: correction.tax_id === undefined ? wrong.buyer.taxId : correction.tax_id,
  }
  const refersTo = { number: wrong.number, issuedAt: wrong.issuedAt }
  const changed = (frozen: FrozenDocument) => ({ ...frozen, buyer, refersTo })
  return issueDocument({ kind: 'invoice', source: invoice.source, replacesId: invoice.id, changed }, context)
}

/** What was given back of the wrong invoice is given back of the right one. */
async function reissueCredits(invoice: Invoice, { replacement, context }: { replacement: Invoice; context: Transaction }): Promise<void> {
  const refunds = (await creditNotesOf(invoice, context)).flatMap(({ refundId, printed }) =>
    refundId && printed ? [{ id: refundId, amount: printed.net, tax_amount: printed.tax, created_at: printed.issuedAt }] : [],
  )
  await creditRefunds(replacement, { ...invoice.source, refunds }, context)
}
