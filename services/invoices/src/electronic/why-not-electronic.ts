import { currencyDigits } from '@quittance/contracts/money'
import type { Address } from '@quittance/contracts/address'
import type { PrintedDocument, SellerBlock } from '../rendering/printed-document.ts'
import { mostDigits } from './amount-text.ts'
import { listedCountry } from './country-code.ts'
import { netOf, sum } from './lines-by-rate.ts'
import { vatGroups, type VatGroup } from './vat-groups.ts'
import { vatNumber } from './vat-number.ts'

/** What can be electronic has all of these. */
export interface ElectronicDocument extends PrintedDocument {
  seller: SellerBlock & { address: Address; taxId: string }
}

/** EN 16931 has no place for something of this document; the reasons are for the seller. */
export class NotElectronic extends Error {
  override readonly name = 'NotElectronic'
  readonly reasons: readonly string[]

  constructor(reasons: readonly string[]) {
    super(reasons.join(' '))
    this.reasons = reasons
  }
}

/** Why this document can only be a plain PDF, in sentences a seller understands. None: it can be electronic. */
export function whyNotElectronic(document: PrintedDocument): string[] {
  return [...partyReasons(document), ...contentReasons(document), ...taxReasons(document)]
}

function partyReasons({ seller, buyer, kind, refersTo }: PrintedDocument): string[] {
  const reasons: string[] = []
  if (!seller.name.trim()) reasons.push('Your name is missing.')
  if (!seller.address) reasons.push('Your address is missing.')
  else if (!listedCountry(seller.address.country)) reasons.push('The country of your address is not one of ISO 3166.')
  if (!seller.taxId) reasons.push('Your tax ID is missing.')
  if (!buyer.name.trim()) reasons.push("The buyer's name is missing.")
  if (!listedCountry(buyer.address.country)) reasons.push("The country of the buyer's address is not one of ISO 3166.")
  if (kind === 'credit_note' && !refersTo) reasons.push('The credit note does not name the invoice it takes back.')
  return reasons
}

function contentReasons(document: PrintedDocument): string[] {
  const { currency, lines, servicePeriod } = document
  const reasons: string[] = []
  if (currencyDigits(currency) > mostDigits) {
    reasons.push(`Electronic invoices have two digits after the point at most, and amounts in ${currency.toUpperCase()} have more.`)
  }
  if (lines.length === 0) reasons.push('The document has no lines.')
  if (lines.some(({ label }) => !label.trim())) reasons.push('A line has no description.')
  if (servicePeriod && servicePeriod.end < servicePeriod.start) reasons.push('The service period ends before it begins.')
  return reasons
}

function taxReasons(document: PrintedDocument): string[] {
  if (!addsUp(document)) return ['The lines do not add up to the totals.']
  const salesTax = document.taxes.find(({ country, amount }) => country === 'US' && amount !== 0)
  if (salesTax) return [`Electronic invoices state value added tax, which ${salesTax.name} of the United States is not.`]
  const groups = vatGroups(document)
  if (!groups) return ['There are several tax rates, and the lines do not tell which rate each of them has.']
  if (groups.some((group) => isOffItsRate(group, document.currency)))
    return ['The tax is not what its rate makes of the amount it falls on.']
  return groups.flatMap((group) => numberReasons(group, document))
}

/** BR-CO-17 tolerates less than one whole unit of the currency; a tax within gross prices is up to one minor unit off. */
function isOffItsRate({ category, taxable, tax }: VatGroup, currency: string): boolean {
  return Math.abs(tax - (taxable * Number(category.percent)) / 100) >= 10 ** currencyDigits(currency)
}

/** Reverse charge and export name the parties by VAT number (BR-AE-02, BR-G-02). */
function numberReasons({ category }: VatGroup, { seller, buyer }: PrintedDocument): string[] {
  const reasons: string[] = []
  if (category.id !== 'AE' && category.id !== 'G') return reasons
  const sale = category.id === 'AE' ? 'Reverse charge' : 'An untaxed sale to a country outside the European Union'
  if (seller.taxId && seller.address && !vatNumber(seller.taxId, seller.address.country)) {
    reasons.push(`${sale} needs your VAT number, beginning with the country; your tax ID is of another kind.`)
  }
  if (category.id === 'AE' && !(buyer.taxId && vatNumber(buyer.taxId, buyer.address.country))) {
    reasons.push(`${sale} needs the buyer's VAT number, beginning with the country.`)
  }
  return reasons
}

function addsUp({ lines, taxes, subtotal, discount, net, tax, total }: PrintedDocument): boolean {
  return (
    sum(lines.map(({ amount }) => amount)) === subtotal &&
    sum(lines.map((line) => line.discount)) === discount &&
    sum(lines.map(netOf)) === net &&
    sum(lines.map((line) => line.tax)) === tax &&
    sum(taxes.map(({ amount }) => amount)) === tax &&
    net + tax === total
  )
}
