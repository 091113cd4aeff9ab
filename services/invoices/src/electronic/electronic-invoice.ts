import type { Invoice } from '@e-invoice-eu/core'
import type { PrintedDocument } from '../rendering/printed-document.ts'
import type { CurrencyCode } from './amount-text.ts'
import { invoiceLines } from './invoice-lines.ts'
import { buyerParty, sellerParty } from './parties.ts'
import { allowances, totals } from './totals.ts'
import { taxTotal } from './vat-breakdown.ts'
import { vatGroups } from './vat-groups.ts'
import { NotElectronic, whyNotElectronic, type ElectronicDocument } from './why-not-electronic.ts'
import { mapText, xmlText } from './xml-text.ts'

type Model = Invoice['ubl:Invoice']

/** Core invoice of EN 16931, without the rules of a country or network on top. */
const specification = 'urn:cen.eu:en16931:2017'

/**
 * A document as EN 16931 says it, in the model of `@e-invoice-eu/core` from which both syntaxes are written. It computes nothing: every
 * amount is one of the document. Throws `NotElectronic` where `whyNotElectronic` has a reason.
 */
export function electronicInvoice(document: PrintedDocument): Invoice {
  const reasons = whyNotElectronic(document)
  const groups = vatGroups(document)
  if (reasons.length > 0 || !groups) throw new NotElectronic(reasons)
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

/** BT-1 to BT-3, BT-22. CII has room for one note. */
function heading({ number, issuedAt, kind, seller, verifyUrl }: PrintedDocument) {
  return {
    'cbc:ID': number,
    'cbc:IssueDate': dateText(issuedAt),
    // UNCL 1001: commercial invoice, credit note.
    'cbc:InvoiceTypeCode': kind === 'invoice' ? '380' : '381',
    'cbc:Note': [[seller.footer, verifyUrl].filter(Boolean).join('\n')],
  } satisfies Partial<Model>
}

/** BG-3, BG-14, BT-72. CII wants the delivery to be there whatever is delivered. */
function references({ refersTo, servicePeriod, orderedAt }: PrintedDocument): Partial<Model> {
  const reference = refersTo && { 'cbc:ID': refersTo.number, 'cbc:IssueDate': dateText(refersTo.issuedAt) }
  return {
    ...(servicePeriod && {
      'cac:InvoicePeriod': { 'cbc:StartDate': dateText(servicePeriod.start), 'cbc:EndDate': dateText(servicePeriod.end) },
    }),
    ...(reference && { 'cac:BillingReference': [{ 'cac:InvoiceDocumentReference': reference }] }),
    'cac:Delivery': { 'cbc:ActualDeliveryDate': dateText(orderedAt) },
  }
}

/** BG-16, BT-20. How it was paid is not on the document: UNCL 4461 code 1, instrument not defined. */
function payment({ paidAt }: PrintedDocument): Partial<Model> {
  if (!paidAt) return {}
  return {
    'cac:PaymentMeans': [{ 'cbc:PaymentMeansCode': '1' }],
    'cac:PaymentTerms': { 'cbc:Note': `Paid on ${dateText(paidAt)}` },
  }
}

/** Days are those of UTC, as they are printed. */
function dateText(date: Date): string {
  return date.toISOString().slice(0, 10)
}
