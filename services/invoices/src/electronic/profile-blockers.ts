import type { DocumentModel } from '../rendering/document-model.ts'
import { buyerAddress, sellerAddress } from './electronic-address.ts'
import { findCountryBlockers } from './peppol-countries.ts'
import { vatGroups } from './vat-groups.ts'

export type Profile = NonNullable<DocumentModel['profile']>

/** Identifiers of the rules that a document follows (BT-24). */
export const specifications: Readonly<Record<Profile, string>> = {
  en16931: 'urn:cen.eu:en16931:2017',
  xrechnung: 'urn:cen.eu:en16931:2017#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0',
  peppol: 'urn:cen.eu:en16931:2017#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0',
}

/** The business process of XRechnung and Peppol (BT-23). */
export const billingProcess = 'urn:fdc:peppol.eu:2017:poacc:billing:01:1.0'

/**
 * Returns the reasons why a document cannot follow the profile that the seller wants, as sentences for the seller. It then follows EN 16931
 * only. `findElectronicBlockers` found nothing.
 */
export function findProfileBlockers(document: DocumentModel): string[] {
  if (document.profile === 'xrechnung') return germanReasons(document, 'XRechnung')
  if (document.profile === 'peppol') return peppolReasons(document)
  return []
}

/** Returns the profile that a document follows. */
export function effectiveProfile(document: DocumentModel): Profile {
  return findProfileBlockers(document).length === 0 ? (document.profile ?? 'en16931') : 'en16931'
}

/** BR-DE-2 to BR-DE-9, BR-DE-14, BR-DE-27, BR-DE-28; between two Germans, Peppol has the same rules (DE-R-001 to DE-R-031). */
function germanReasons(document: DocumentModel, rules: 'XRechnung' | 'Peppol'): string[] {
  const { seller, buyer } = document
  const { name, phone, email } = seller.contact ?? {}
  const reasons: string[] = []
  if (!name || !phone || !email) reasons.push(`${rules} requires the name, telephone and e-mail address of your contact.`)
  if (!seller.address?.city || !seller.address.postal_code) reasons.push(`${rules} requires the city and postal code of your address.`)
  if (!buyer.address.city || !buyer.address.postal_code) reasons.push(`${rules} requires the city and postal code of the buyer's address.`)
  if (vatGroups(document)?.some(({ category }) => category.percent === null)) {
    reasons.push(`${rules} requires a tax rate: set up taxes, or name why you charge none.`)
  }
  return reasons
}

/** PEPPOL-EN16931-R010 and R020, PEPPOL-COMMON-R040 to R050, and the rules of the seller's country. */
function peppolReasons(document: DocumentModel): string[] {
  const isGerman = [document.seller, document.buyer].every(({ address }) => address?.country === 'DE')
  const reasons = [...findCountryBlockers(document), ...(isGerman ? germanReasons(document, 'Peppol') : [])]
  if (!sellerAddress(document, 'peppol')) reasons.push('Peppol requires your VAT number or your valid address in the network.')
  if (!buyerAddress(document, 'peppol')) reasons.push("Peppol requires the buyer's VAT number or valid address in the network.")
  return reasons
}
