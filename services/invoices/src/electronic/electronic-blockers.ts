import { currencyDigits } from '@quittance/contracts/money'
import type { Address } from '@quittance/contracts/address'
import type { DocumentModel, SellerBlock } from '../rendering/document-model.ts'
import { vatNumber } from '../documents/vat-number.ts'
import { maxFractionDigits, en16931CountryCode } from './en16931-fields.ts'
import { netAmount, sum } from './lines-by-rate.ts'
import { vatGroups, type VatGroup } from './vat-groups.ts'

/** A document with all fields that an electronic invoice requires. */
export interface ElectronicDocument extends DocumentModel {
  seller: SellerBlock & { address: Address; taxId: string }
}

/** EN 16931 cannot represent the document. The reasons are addressed to the seller. */
export class ElectronicInvoiceError extends Error {
  override readonly name = 'NotElectronic'
  readonly reasons: readonly string[]

  constructor(reasons: readonly string[]) {
    super(reasons.join(' '))
    this.reasons = reasons
  }
}

/** Returns the reasons why the document can only be a plain PDF, as sentences for the seller. Empty if it can be an electronic invoice. */
export function findElectronicBlockers(document: DocumentModel): string[] {
  return [...partyReasons(document), ...contentReasons(document), ...taxReasons(document)]
}

function partyReasons({ seller, buyer, kind, refersTo }: DocumentModel): string[] {
  const reasons: string[] = []
  if (!seller.name.trim()) reasons.push('Your name is missing.')
  if (!seller.address) reasons.push('Your address is missing.')
  else if (!en16931CountryCode(seller.address.country)) reasons.push('The country of your address is not an ISO 3166 country.')
  if (!seller.taxId) reasons.push('Your tax ID is missing.')
  if (!buyer.name.trim()) reasons.push("The buyer's name is missing.")
  if (!en16931CountryCode(buyer.address.country)) reasons.push("The country of the buyer's address is not an ISO 3166 country.")
  if (kind === 'credit_note' && !refersTo) reasons.push('The credit note does not reference the invoice that it corrects.')
  return reasons
}

function contentReasons(document: DocumentModel): string[] {
  const { currency, lines, servicePeriod } = document
  const reasons: string[] = []
  if (currencyDigits(currency) > maxFractionDigits) {
    reasons.push(`Electronic invoices support at most two decimal places; amounts in ${currency.toUpperCase()} have more.`)
  }
  if (lines.length === 0) reasons.push('The document has no lines.')
  if (lines.some(({ label }) => !label.trim())) reasons.push('A line has no description.')
  if (servicePeriod && servicePeriod.end < servicePeriod.start) reasons.push('The service period ends before it begins.')
  return reasons
}

function taxReasons(document: DocumentModel): string[] {
  if (!addsUp(document)) return ['The lines do not add up to the totals.']
  const salesTax = document.taxes.find(({ country, amount }) => country === 'US' && amount !== 0)
  if (salesTax) return [`Electronic invoices support only value added tax; ${salesTax.name} of the United States is a different tax.`]
  const groups = vatGroups(document)
  if (!groups) return ['The document has several tax rates, and the rate of each line cannot be determined.']
  if (groups.some((group) => isOffItsRate(group, document.currency))) return ['A tax amount does not match its rate and taxable amount.']
  return groups.flatMap((group) => numberReasons(group, document))
}

/**
 * BR-CO-17 tolerates a difference of less than one whole unit of the currency. A tax included in gross prices differs by up to one minor
 * unit.
 */
function isOffItsRate({ category, taxable, tax }: VatGroup, currency: string): boolean {
  return Math.abs(tax - (taxable * Number(category.percent)) / 100) >= 10 ** currencyDigits(currency)
}

/** Reverse charge and export require VAT numbers of the parties (BR-AE-02, BR-G-02). */
function numberReasons({ category }: VatGroup, { seller, buyer }: DocumentModel): string[] {
  const reasons: string[] = []
  if (category.id !== 'AE' && category.id !== 'G') return reasons
  const sale = category.id === 'AE' ? 'Reverse charge' : 'An untaxed sale to a country outside the European Union'
  if (seller.taxId && seller.address && !vatNumber(seller.taxId, seller.address.country)) {
    reasons.push(`${sale} requires your VAT number with its country prefix; your tax ID is of another type.`)
  }
  if (category.id === 'AE' && !(buyer.taxId && vatNumber(buyer.taxId, buyer.address.country))) {
    reasons.push(`${sale} requires the buyer's VAT number with its country prefix.`)
  }
  return reasons
}

function addsUp({ lines, taxes, subtotal, discount, net, tax, total }: DocumentModel): boolean {
  return (
    sum(lines.map(({ amount }) => amount)) === subtotal &&
    sum(lines.map((line) => line.discount)) === discount &&
    sum(lines.map(netAmount)) === net &&
    sum(lines.map((line) => line.tax)) === tax &&
    sum(taxes.map(({ amount }) => amount)) === tax &&
    net + tax === total
  )
}
