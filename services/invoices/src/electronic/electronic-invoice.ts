import type { Invoice } from '@e-invoice-eu/core'
import type { DocumentModel } from '../rendering/document-model.ts'
import { type CurrencyCode, mapText, xmlText } from './en16931-fields.ts'
import { invoiceLines } from './invoice-lines.ts'
import { buyerParty, sellerParty } from './parties.ts'
import { allowances, totals } from './totals.ts'
import { taxTotal } from './vat-breakdown.ts'
import { vatGroups } from './vat-groups.ts'
import { ElectronicInvoiceError, findElectronicBlockers, type ElectronicDocument } from './electronic-blockers.ts'

type Model = Invoice['ubl:Invoice']

/** Core invoice of EN 16931, without additional rules of a country or network. */
const specification = 'urn:cen.eu:en16931:2017'

/**
 * Converts a document to the EN 16931 model of `@e-invoice-eu/core`, from which both syntaxes are written. It computes nothing: every
 * amount is taken from the document. Throws `ElectronicInvoiceError` if `findElectronicBlockers` returns a reason.
 */
export function buildElectronicInvoice(document: DocumentModel): Invoice {
  const reasons = findElectronicBlockers(document)
  const groups = vatGroups(document)
  if (reasons.length > 0 || !groups) throw new ElectronicInvoiceError(reasons)
  const { seller, buyer, lines, tax } = document as ElectronicDocument
  const currency = document.currency.toUpperCase() as CurrencyCode
  const isOutsideTax = groups.some(({ category }) => category.id === 'O')
  const discounts = allowances(groups, currency)
  const model: Model = {
    'cbc:CustomizationID': specification,
    ...heading(document),
    'cbc:DocumentCurrencyCode': currency,
    ...references(document),
    'cac:AccountingSupplierParty': sellerParty(seller, isOutsideTax),
    'cac:AccountingCustomerParty': buyerParty(buyer, isOutsideTax),
    ...payment(document),
    ...(discounts.length === 0 ? {} : { 'cac:AllowanceCharge': discounts }),
    'cac:TaxTotal': [taxTotal(tax, groups, currency)],
    'cac:LegalMonetaryTotal': totals(document, currency),
    'cac:InvoiceLine': invoiceLines(lines, groups, currency) as Model['cac:InvoiceLine'],
  }
  return { 'ubl:Invoice': mapText(model, xmlText) }
}

/** BT-1 to BT-3, BT-22. CII supports only one note. */
function heading({ number, issuedAt, kind, seller, verifyUrl }: DocumentModel) {
  return {
    'cbc:ID': number,
    'cbc:IssueDate': dateText(issuedAt),
    // UNCL 1001: commercial invoice, credit note.
    'cbc:InvoiceTypeCode': kind === 'invoice' ? '380' : '381',
    'cbc:Note': [[seller.footer, verifyUrl].filter(Boolean).join('\n')],
  } satisfies Partial<Model>
}

/** BG-3, BG-14, BT-72. CII requires the delivery element even if nothing is shipped. */
function references({ refersTo, servicePeriod, orderedAt }: DocumentModel): Partial<Model> {
  const reference = refersTo && { 'cbc:ID': refersTo.number, 'cbc:IssueDate': dateText(refersTo.issuedAt) }
  return {
    ...(servicePeriod && {
      'cac:InvoicePeriod': { 'cbc:StartDate': dateText(servicePeriod.start), 'cbc:EndDate': dateText(servicePeriod.end) },
    }),
    ...(reference && { 'cac:BillingReference': [{ 'cac:InvoiceDocumentReference': reference }] }),
    'cac:Delivery': { 'cbc:ActualDeliveryDate': dateText(orderedAt) },
  }
}

/** BG-16, BT-20. The document does not contain the payment method: UNCL 4461 code 1, instrument not defined. */
function payment({ paidAt }: DocumentModel): Partial<Model> {
  if (!paidAt) return {}
  return {
    'cac:PaymentMeans': [{ 'cbc:PaymentMeansCode': '1' }],
    'cac:PaymentTerms': { 'cbc:Note': `Paid on ${dateText(paidAt)}` },
  }
}

/** Dates are in UTC, as printed. */
function dateText(date: Date): string {
  return date.toISOString().slice(0, 10)
}
