import type { Invoice } from '@e-invoice-eu/core'
import type { Address } from '@quittance/contracts/address'
import type { BuyerBlock } from '../rendering/printed-document.ts'
import { listedCountry } from './country-code.ts'
import { vatNumber } from './vat-number.ts'
import type { ElectronicDocument } from './why-not-electronic.ts'

type Seller = Invoice['ubl:Invoice']['cac:AccountingSupplierParty']
type Buyer = Invoice['ubl:Invoice']['cac:AccountingCustomerParty']
type PostalAddress = Seller['cac:Party']['cac:PostalAddress']
type CountryCode = PostalAddress['cac:Country']['cbc:IdentificationCode']

/**
 * BG-4. A tax id that is no VAT number stands twice: as tax registration (BT-32), which VAT categories ask for, and as legal
 * registration (BT-30), by which the seller is identified (BR-CO-26). Of a sale outside the tax only the latter may be named (BR-O-02).
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

/** BG-7. The same for the buyer, who need not have a tax id. */
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
    'cac:Country': { 'cbc:IdentificationCode': (listedCountry(country) ?? country) as CountryCode },
  }
}
