import type { Invoice } from '@e-invoice-eu/core'
import type { Address } from '@quittance/contracts/address'
import type { BuyerBlock } from '../rendering/document-model.ts'
import { en16931CountryCode, vatNumber } from './en16931-fields.ts'
import type { ElectronicDocument } from './electronic-blockers.ts'

type Seller = Invoice['ubl:Invoice']['cac:AccountingSupplierParty']
type Buyer = Invoice['ubl:Invoice']['cac:AccountingCustomerParty']
type PostalAddress = Seller['cac:Party']['cac:PostalAddress']
type CountryCode = PostalAddress['cac:Country']['cbc:IdentificationCode']

/**
 * BG-4. A tax ID that is not a VAT number is written twice: as tax registration (BT-32), which VAT categories require, and as legal
 * registration (BT-30), which identifies the seller (BR-CO-26). For a sale outside VAT only the legal registration is permitted (BR-O-02).
 */
export function sellerParty({ name, address, taxId }: ElectronicDocument['seller'], isOutsideTax: boolean): Seller {
  const vat = isOutsideTax ? null : vatNumber(taxId, address.country)
  const scheme = { 'cbc:CompanyID': vat ?? taxId, 'cac:TaxScheme': { 'cbc:ID': vat ? 'VAT' : 'TAX' } }
  return {
    'cac:Party': {
      'cac:PostalAddress': postalAddress(address),
      ...(isOutsideTax ? {} : { 'cac:PartyTaxScheme': [scheme] }),
      'cac:PartyLegalEntity': { 'cbc:RegistrationName': name, ...(vat ? {} : { 'cbc:CompanyID': taxId }) },
    },
  }
}

/** BG-7. The same for the buyer, whose tax ID is optional. */
export function buyerParty({ name, address, taxId, email }: BuyerBlock, isOutsideTax: boolean): Buyer {
  const vat = taxId === null || isOutsideTax ? null : vatNumber(taxId, address.country)
  return {
    'cac:Party': {
      'cbc:EndpointID': email,
      'cbc:EndpointID@schemeID': 'EM',
      'cac:PostalAddress': postalAddress(address),
      ...(vat ? { 'cac:PartyTaxScheme': { 'cbc:CompanyID': vat, 'cac:TaxScheme': { 'cbc:ID': 'VAT' } } } : {}),
      'cac:PartyLegalEntity': { 'cbc:RegistrationName': name, ...(taxId !== null && !vat ? { 'cbc:CompanyID': taxId } : {}) },
      'cac:Contact': { 'cbc:ElectronicMail': email },
    },
  }
}

function postalAddress({ line1, line2, city, postal_code: postalCode, state, country }: Address): PostalAddress {
  return {
    ...(line1 === null ? {} : { 'cbc:StreetName': line1 }),
    ...(line2 === null ? {} : { 'cbc:AdditionalStreetName': line2 }),
    ...(city === null ? {} : { 'cbc:CityName': city }),
    ...(postalCode === null ? {} : { 'cbc:PostalZone': postalCode }),
    ...(state === null ? {} : { 'cbc:CountrySubentity': state }),
    'cac:Country': { 'cbc:IdentificationCode': (en16931CountryCode(country) ?? country) as CountryCode },
  }
}
