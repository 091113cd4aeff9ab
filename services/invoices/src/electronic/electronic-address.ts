import type { Address } from '@quittance/contracts/address'
import type { DocumentModel } from '../rendering/document-model.ts'
import { vatNumber } from '../documents/vat-number.ts'
import { findRegisterIdentifier, isValidIdentifier } from './register-identifiers.ts'

/** Address of a party in a network (BT-34, BT-49): a scheme of the list EAS and an identifier. */
export interface ElectronicAddress {
  scheme: string
  id: string
}

/** Schemes of the list EAS for VAT numbers, by the prefix of the number. */
const vatSchemes = new Map(
  `AD 9922|AL 9923|AT 9914|BA 9924|BE 9925|BG 9926|CH 9927|CY 9928|CZ 9929|DE 9930|DK 0198|EE 9931|EL 9933|ES 9920|FI 0213|FR 9957|GB 9932|
    HR 9934|HU 9910|IE 9935|IT 0211|LI 9936|LT 9937|LU 9938|LV 9939|MC 9940|ME 9941|MK 9942|MT 9943|NL 9944|PL 9945|PT 9946|RO 9947|RS 9948|
    SI 9949|SK 9950|SM 9951|TR 9952|VA 9953`
    .split('|')
    .map((entry) => entry.trim().split(' ') as [prefix: string, scheme: string]),
)

interface Party {
  address: Address | null
  taxId: string | null
  electronicAddress?: string | null
}

/**
 * Returns the address of a party in Peppol: the one it named, its VAT number or its number in the register of companies. Null if the named
 * one has wrong check digits. Peppol knows no e-mail addresses.
 */
export function peppolAddress({ address, taxId, electronicAddress }: Party): ElectronicAddress | null {
  const named = parseElectronicAddress(electronicAddress ?? null)
  if (named) return named.scheme === 'EM' || !isValidIdentifier(named) ? null : named
  const number = taxId && address ? vatNumber(taxId, address.country) : null
  const scheme = number && vatSchemes.get(number.slice(0, 2))
  return number && scheme ? { scheme, id: number } : findRegisterIdentifier({ address, taxId })
}

/** Returns the address of the seller: the one they named, or the e-mail address of the contact. */
export function sellerAddress({ seller }: DocumentModel, profile: DocumentModel['profile']): ElectronicAddress | null {
  if (profile === 'peppol') return peppolAddress(seller)
  return parseElectronicAddress(seller.electronicAddress ?? null) ?? toMailAddress(seller.contact?.email ?? null)
}

/** Returns the address of the buyer: the one of the order, or the e-mail address. */
export function buyerAddress({ buyer }: DocumentModel, profile: DocumentModel['profile']): ElectronicAddress | null {
  if (profile === 'peppol') return peppolAddress(buyer)
  return parseElectronicAddress(buyer.electronicAddress ?? null) ?? toMailAddress(buyer.email)
}

function toMailAddress(email: string | null): ElectronicAddress | null {
  return email ? { scheme: 'EM', id: email } : null
}

/** Parses `scheme:id`; null for anything else, such as other metadata of an order. */
function parseElectronicAddress(text: string | null): ElectronicAddress | null {
  const [, scheme, id] = /^(\d{4}|EM):([^\s:]\S*)$/.exec(text ?? '') ?? []
  return scheme && id ? { scheme, id } : null
}
