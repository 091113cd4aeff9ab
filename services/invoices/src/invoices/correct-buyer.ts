import type { Address } from '@quittance/contracts/address'
import { findSubdivisions } from '@quittance/contracts/countries'
import { RequestValidationError } from '@quittance/contracts/errors'
import { parseTaxId } from '@quittance/runtime/tax-id'
import type { BuyerBlock } from '../rendering/document-model.ts'
import type { DocumentSnapshot } from './document-snapshot.ts'

/** Details of the buyer that were wrong; absent keys stay. */
interface BuyerCorrection {
  billing_name?: string | undefined
  billing_address?: Address | undefined
  tax_id?: string | null | undefined
}

/**
 * Returns the buyer of the document that replaces an incorrect one. Throws `RequestValidationError` if a tax ID is invalid, or if the tax of
 * the invoice does not fit the corrected buyer: a correction charges no other tax.
 */
export function correctBuyer({ buyer, taxes }: Pick<DocumentSnapshot, 'buyer' | 'taxes'>, correction: BuyerCorrection): BuyerBlock {
  const address = correction.billing_address ?? buyer.address
  const taxId = correctTaxId(buyer, { address, number: correction.tax_id })
  if (taxes.length > 0) assertSamePlace(buyer.address, address)
  if (taxId === null && taxes.some(({ reverse_charge: isReversed }) => isReversed)) {
    throw RequestValidationError.field(['tax_id'], 'The buyer owes the tax of this invoice and must have a tax ID.', 'missing')
  }
  return { ...buyer, name: correction.billing_name ?? buyer.name, address, taxId }
}

/** An unchanged tax ID is checked again if the country changes. */
function correctTaxId(buyer: BuyerBlock, { address, number }: { address: Address; number: string | null | undefined }): string | null {
  const { country } = address
  if (number === null) return null
  if (number !== undefined) return parseTaxId(number, { country, field: 'tax_id' })[0]
  return buyer.taxId !== null && buyer.address.country !== country ? parseTaxId(buyer.taxId, { country, field: 'tax_id' })[0] : buyer.taxId
}

function assertSamePlace(before: Address, after: Address): void {
  const isOtherCountry = before.country !== after.country
  if (!isOtherCountry && (before.state === after.state || !findSubdivisions(after.country))) return
  const detail = 'The tax of this invoice was charged for another place. Refund the order and sell again at this address.'
  throw RequestValidationError.field(['billing_address', isOtherCountry ? 'country' : 'state'], detail)
}
