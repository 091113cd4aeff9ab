import type { Invoice } from '@e-invoice-eu/core'
import type { DocumentModel, TransferTerms } from '../rendering/document-model.ts'
import { type CurrencyCode, mapText, xmlText } from './en16931-fields.ts'
import { calendarDate } from '../series/calendar-date.ts'
import { buyerAddress, sellerAddress } from './electronic-address.ts'
import { invoiceLines } from './invoice-lines.ts'
import { buyerParty, sellerParty } from './parties.ts'
import { findRegisterIdentifier, findTaxCountry } from './register-identifiers.ts'
import { billingProcess, specifications, type Profile } from './profile-blockers.ts'
import { allowances, totals } from './totals.ts'
import { taxTotal } from './vat-breakdown.ts'
import { vatGroups } from './vat-groups.ts'
import { ElectronicInvoiceError, findElectronicBlockers, type ElectronicDocument } from './electronic-blockers.ts'

type Model = Invoice['ubl:Invoice']

/**
 * Converts a document to the EN 16931 model of `@e-invoice-eu/core`, from which both syntaxes are written. It computes nothing: every
 * amount is taken from the document. Throws `ElectronicInvoiceError` if `findElectronicBlockers` returns a reason.
 */
export function buildElectronicInvoice(document: DocumentModel, profile: Profile = 'en16931'): Invoice {
  const reasons = findElectronicBlockers(document)
  const groups = vatGroups(document)
  if (reasons.length > 0 || !groups) throw new ElectronicInvoiceError(reasons)
  const complete = document as ElectronicDocument
  const { seller, buyer, lines, tax } = complete
  const currency = document.currency.toUpperCase() as CurrencyCode
  const isOutsideTax = groups.some(({ category }) => category.id === 'O')
  const discounts = allowances(groups, currency)
  const register = (party: Parameters<typeof findRegisterIdentifier>[0]) => (profile === 'peppol' ? findRegisterIdentifier(party) : null)
  const model: Model = {
    'cbc:CustomizationID': specifications[profile],
    ...(profile === 'en16931' ? {} : { 'cbc:ProfileID': billingProcess }),
    ...heading(document),
    ...(document.transfer && { 'cbc:DueDate': document.transfer.dueDate }),
    'cbc:DocumentCurrencyCode': currency,
    ...buyerReferences(document, profile),
    ...references(document),
    'cac:AccountingSupplierParty': sellerParty(seller, {
      isOutsideTax,
      endpoint: sellerAddress(document, profile),
      register: register(seller),
    }),
    'cac:AccountingCustomerParty': buyerParty(buyer, {
      isOutsideTax,
      endpoint: buyerAddress(document, profile),
      register: register(buyer),
    }),
    ...payment(complete, profile),
    ...(discounts.length === 0 ? {} : { 'cac:AllowanceCharge': discounts }),
    'cac:TaxTotal': [taxTotal(tax, groups, currency)],
    'cac:LegalMonetaryTotal': totals(document, currency),
    'cac:InvoiceLine': invoiceLines(lines, groups, currency) as Model['cac:InvoiceLine'],
  }
  return { 'ubl:Invoice': mapText(model, xmlText) }
}

/** BT-1 to BT-3, BT-22. CII supports only one note. */
function heading({ number, issuedAt, kind, seller, verifyUrl, timeZone }: DocumentModel) {
  return {
    'cbc:ID': number,
    'cbc:IssueDate': calendarDate(issuedAt, timeZone),
    // UNCL 1001: commercial invoice, credit note.
    'cbc:InvoiceTypeCode': kind === 'invoice' ? '380' : '381',
    'cbc:Note': [[seller.footer, verifyUrl].filter(Boolean).join('\n')],
  } satisfies Partial<Model>
}

/** BT-10, BT-13. XRechnung requires the first and Peppol one of them: without a reference of the buyer, it is the id of the order. */
function buyerReferences({ buyerReference, orderId, number }: DocumentModel, profile: Profile): Partial<Model> {
  const order = orderId ?? number
  if (profile === 'en16931') return buyerReference ? { 'cbc:BuyerReference': buyerReference } : {}
  return { 'cbc:BuyerReference': buyerReference || order, 'cac:OrderReference': { 'cbc:ID': order } }
}

/** BG-3, BG-14, BT-72. CII requires the delivery element even if nothing is shipped. */
function references({ refersTo, servicePeriod, orderedAt, timeZone, saleTimeZone = timeZone }: DocumentModel): Partial<Model> {
  const dateText = (date: Date) => calendarDate(date, saleTimeZone)
  const reference = refersTo && {
    'cbc:ID': refersTo.number,
    'cbc:IssueDate': calendarDate(refersTo.issuedAt, refersTo.timeZone ?? timeZone),
  }
  return {
    ...(servicePeriod && {
      'cac:InvoicePeriod': { 'cbc:StartDate': dateText(servicePeriod.start), 'cbc:EndDate': dateText(servicePeriod.end) },
    }),
    ...(reference && { 'cac:BillingReference': [{ 'cac:InvoiceDocumentReference': reference }] }),
    'cac:Delivery': { 'cbc:ActualDeliveryDate': dateText(orderedAt) },
  }
}

/** BG-16, BG-17: where the buyer sends the money. UNCL 4461: SEPA credit transfer, or credit transfer. */
function creditTransfer({ beneficiary, iban, bic, reference }: TransferTerms, currency: string): Partial<Model> {
  return {
    'cac:PaymentMeans': [
      {
        'cbc:PaymentMeansCode': currency === 'eur' ? '58' : '30',
        'cbc:PaymentID': reference,
        'cac:PayeeFinancialAccount': {
          'cbc:ID': iban,
          'cbc:Name': beneficiary,
          ...(bic && { 'cac:FinancialInstitutionBranch': { 'cbc:ID': bic } }),
        },
      },
    ],
  }
}

/**
 * BG-16, BT-20. UNCL 4461 code 1, instrument not defined: nothing is to be paid. XRechnung requires the group (BR-DE-1); Peppol does not
 * allow the code to Dutch sellers (NL-R-008).
 */
function payment(
  { paidAt, timeZone, saleTimeZone = timeZone, seller, transfer, currency, isOffset, refersTo }: ElectronicDocument,
  profile: Profile,
): Partial<Model> {
  if (transfer) return creditTransfer(transfer, currency)
  const isDutch = profile === 'peppol' && [seller.address.country, findTaxCountry(seller)].includes('NL')
  return {
    ...((paidAt || profile !== 'en16931') && !isDutch ? { 'cac:PaymentMeans': [{ 'cbc:PaymentMeansCode': '1' as const }] } : {}),
    ...(paidAt ? { 'cac:PaymentTerms': { 'cbc:Note': `Paid on ${calendarDate(paidAt, saleTimeZone)}` } } : {}),
    // BR-CO-25: an amount due has a date or terms.
    ...(isOffset && refersTo ? { 'cac:PaymentTerms': { 'cbc:Note': `Offset against invoice ${refersTo.number}` } } : {}),
  }
}
