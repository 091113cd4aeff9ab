import type { Invoice } from '@e-invoice-eu/core'
import type { Address } from '@quittance/contracts/address'
import type { BuyerBlock } from '../rendering/document-model.ts'
import type { ElectronicAddress } from './electronic-address.ts'
import { vatNumber } from '../documents/vat-number.ts'
import { en16931CountryCode } from './en16931-fields.ts'
import type { ElectronicDocument } from './electronic-blockers.ts'
import type { RegisterIdentifier } from './register-identifiers.ts'

type Seller = Invoice['ubl:Invoice']['cac:AccountingSupplierParty']
type Buyer = Invoice['ubl:Invoice']['cac:AccountingCustomerParty']
type PostalAddress = Seller['cac:Party']['cac:PostalAddress']
type CountryCode = PostalAddress['cac:Country']['cbc:IdentificationCode']

/**
 * BG-4. A tax ID that is not a VAT number is written twice: as tax registration (BT-32), which VAT categories require, and as legal
 * registration (BT-30), which identifies the seller (BR-CO-26). For a sale outside VAT only the legal registration is permitted (BR-O-02).
 */
export function sellerParty(
  { name, address, taxId, contact }: ElectronicDocument['seller'],
  { isOutsideTax, endpoint, register }: PartyOptions,
): Seller {
  const vat = isOutsideTax ? null : vatNumber(taxId, address.country)
  const scheme = { 'cbc:CompanyID': vat ?? taxId, 'cac:TaxScheme': { 'cbc:ID': vat ? 'VAT' : 'TAX' } }
  return {
    'cac:Party': {
      ...endpointId(endpoint),
      'cac:PostalAddress': postalAddress(address),
      ...(isOutsideTax ? {} : { 'cac:PartyTaxScheme': [scheme] }),
      'cac:PartyLegalEntity': { 'cbc:RegistrationName': name, ...legalRegistration(register, vat ? null : taxId) },
      ...(contact ? { 'cac:Contact': sellerContact(contact) } : {}),
    },
  }
}

/** BG-7. The same for the buyer, whose tax ID is optional. */
export function buyerParty({ name, address, taxId, email }: BuyerBlock, { isOutsideTax, endpoint, register }: PartyOptions): Buyer {
  const vat = taxId === null || isOutsideTax ? null : vatNumber(taxId, address.country)
  return {
    'cac:Party': {
      ...endpointId(endpoint ?? { scheme: 'EM', id: email }),
      'cac:PostalAddress': postalAddress(address),
      ...(vat ? { 'cac:PartyTaxScheme': { 'cbc:CompanyID': vat, 'cac:TaxScheme': { 'cbc:ID': 'VAT' } } } : {}),
      'cac:PartyLegalEntity': { 'cbc:RegistrationName': name, ...legalRegistration(register, vat ? null : taxId) },
      'cac:Contact': { 'cbc:ElectronicMail': email },
    },
  }
}

interface PartyOptions {
  isOutsideTax: boolean
  endpoint: ElectronicAddress | null
  /** Number in the register of companies, where the profile names it with its scheme. */
  register: RegisterIdentifier | null
}

type LegalEntity = Seller['cac:Party']['cac:PartyLegalEntity']

/** BT-30, BT-47. */
function legalRegistration(register: RegisterIdentifier | null, id: string | null): Omit<LegalEntity, 'cbc:RegistrationName'> {
  if (register) return { 'cbc:CompanyID': register.id, 'cbc:CompanyID@schemeID': register.scheme as LegalScheme }
  return id === null ? {} : { 'cbc:CompanyID': id }
}

type LegalScheme = NonNullable<LegalEntity['cbc:CompanyID@schemeID']>

type Scheme = NonNullable<Buyer['cac:Party']['cbc:EndpointID@schemeID']>

function endpointId(endpoint: ElectronicAddress): { 'cbc:EndpointID': string; 'cbc:EndpointID@schemeID': Scheme }
function endpointId(endpoint: ElectronicAddress | null): { 'cbc:EndpointID'?: string; 'cbc:EndpointID@schemeID'?: Scheme }
function endpointId(endpoint: ElectronicAddress | null) {
  // The list of the library has every scheme of EAS.
  return endpoint ? { 'cbc:EndpointID': endpoint.id, 'cbc:EndpointID@schemeID': endpoint.scheme as Scheme } : {}
}

/** BG-6. */
function sellerContact({ name, phone, email }: NonNullable<ElectronicDocument['seller']['contact']>) {
  return {
    ...(name ? { 'cbc:Name': name } : {}),
    ...(phone ? { 'cbc:Telephone': phone } : {}),
    ...(email ? { 'cbc:ElectronicMail': email } : {}),
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
