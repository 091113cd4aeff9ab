import type { DocumentModel } from '../rendering/document-model.ts'
import { vatNumber } from '../documents/vat-number.ts'
import { findRegisterIdentifier, findTaxCountry, isValidIdentifier } from './register-identifiers.ts'
import { vatGroups } from './vat-groups.ts'

type Party = Pick<DocumentModel['seller'], 'address' | 'taxId'>

const swedishRates: ReadonlySet<string | null> = new Set(['25', '12', '6'])

/**
 * Returns why a document violates the rules that Peppol BIS Billing 3.0 has for the country of the seller, as sentences for the seller.
 * The German rules are those of XRechnung and not contained.
 */
export function findCountryBlockers(document: DocumentModel): string[] {
  const { seller } = document
  if (!seller.address || !seller.taxId) return []
  const countries = new Set([seller.address.country, findTaxCountry({ address: seller.address, taxId: seller.taxId })])
  return [...countries].flatMap((country) => rules[country]?.(document) ?? [])
}

const rules: Readonly<Record<string, (document: DocumentModel) => string[]>> = {
  // DK-R-002, DK-R-014.
  DK: ({ seller }) => (findRegisterIdentifier(seller) ? [] : ['Peppol requires your CVR number as your tax ID.']),
  // GR-R-001, GR-R-004: numbers of six segments and the mark that the tax authority returned.
  GR: () => ['Peppol requires numbers and marks of myDATA for Greek sellers, which are not supported.'],
  // IS-R-002 to IS-R-005.
  IS: ({ seller, buyer }) => [
    ...(findRegisterIdentifier(seller) ? [] : ['Peppol requires your kennitala as your tax ID.']),
    ...addressReasons(seller, { of: 'your', parts: ['line1', 'postal_code'] }),
    ...domestic('IS', buyer, () => [
      ...(findRegisterIdentifier(buyer) ? [] : ["Peppol requires the buyer's kennitala as the tax ID."]),
      ...addressReasons(buyer, { of: "the buyer's", parts: ['line1', 'postal_code'] }),
    ]),
  ],
  // IT-R-001 to IT-R-004.
  IT: ({ seller }) => [
    ...addressReasons(seller, { of: 'your', parts: ['line1', 'city', 'postal_code'] }),
    ...(findVat(seller) || /^[A-Z0-9]{11,16}$/.test(seller.taxId ?? '') ? [] : ['Peppol requires your partita IVA or codice fiscale.']),
  ],
  // NL-R-002 to NL-R-005; NL-R-007 and NL-R-008 are about the means of payment, which the document omits.
  NL: ({ seller, buyer }) => [
    ...addressReasons(seller, { of: 'your', parts: ['line1', 'city', 'postal_code'] }),
    ...(findVat(seller) || findRegisterIdentifier(seller) ? [] : ['Peppol requires your VAT number or KVK number as your tax ID.']),
    ...domestic('NL', buyer, () => [
      ...addressReasons(buyer, { of: "the buyer's", parts: ['line1', 'city', 'postal_code'] }),
      ...(!buyer.taxId || findVat(buyer) || findRegisterIdentifier(buyer)
        ? []
        : ["Peppol requires the buyer's VAT number or KVK number as the tax ID."]),
    ]),
  ],
  // NO-R-001.
  NO: ({ seller }) =>
    isNorwegianVat(findVat(seller)) ? [] : ['Peppol requires your VAT number as NO, nine digits and MVA, with a valid check digit.'],
  // SE-R-001 to SE-R-006, SE-R-013.
  SE: (document) => [
    ...(/^SE\d{12}$/.test(findVat(document.seller) ?? '') ? [] : ['Peppol requires your VAT number: SE and twelve digits.']),
    ...((vatGroups(document) ?? []).some(({ category }) => category.id === 'S' && !swedishRates.has(category.percent))
      ? ['Peppol allows Swedish sellers only the rates of 25, 12 and 6 %.']
      : []),
  ],
}

function findVat({ address, taxId }: Party): string | null {
  return address && taxId ? vatNumber(taxId, address.country) : null
}

/** The rule concerns numbers with the prefix NO only. */
function isNorwegianVat(vat: string | null): boolean {
  if (!vat?.startsWith('NO')) return vat !== null
  const [, id] = /^NO(\d{9})MVA$/.exec(vat) ?? []
  return id !== undefined && isValidIdentifier({ scheme: '0192', id })
}

function domestic(country: string, buyer: Party, find: () => string[]): string[] {
  return buyer.address?.country === country ? find() : []
}

const names = { line1: 'street', city: 'city', postal_code: 'postal code' } as const

function addressReasons({ address }: Party, { of, parts }: { of: string; parts: readonly (keyof typeof names)[] }): string[] {
  const missing = parts.filter((part) => !address?.[part]).map((part) => names[part])
  return missing.length === 0 ? [] : [`Peppol requires the ${missing.join(' and ')} of ${of} address.`]
}
