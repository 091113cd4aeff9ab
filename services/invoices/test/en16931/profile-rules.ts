import { nationalRules } from './national-rules.ts'
import type { ReadProfile } from './read-profile.ts'

type Rule = (invoice: ReadProfile) => boolean

const billing = 'urn:fdc:peppol.eu:2017:poacc:billing:01:1.0'

/** Rules of XRechnung 3.0.2, written by hand: no package contains its Schematron. */
const xrechnung: Record<string, Rule> = {
  'BR-DE-1': ({ paymentMeans }) => paymentMeans.length > 0,
  'BR-DE-2 BR-DE-5': ({ contact }) => !!contact.name,
  'BR-DE-6 BR-DE-27': ({ contact }) => (contact.phone?.match(/\d/g)?.length ?? 0) >= 3,
  'BR-DE-7 BR-DE-28': ({ contact }) => /^[^@\s.][^@\s]*[^@\s.]@[^@\s.][^@\s]*[^@\s.]$/.test(contact.email ?? ''),
  'BR-DE-3': ({ seller }) => !!seller.city,
  'BR-DE-4': ({ seller }) => !!seller.postalCode,
  'BR-DE-8': ({ buyer }) => !!buyer.city,
  'BR-DE-9': ({ buyer }) => !!buyer.postalCode,
  'BR-DE-14': ({ rates }) => rates.length > 0 && rates.every((rate) => rate !== null),
  'BR-DE-15': ({ buyerReference }) => !!buyerReference,
  'BR-DE-16': ({ seller }) => !!(seller.vatNumber ?? seller.taxRegistration),
  'BR-DE-17': ({ typeCode }) => ['326', '380', '384', '389', '381', '875', '876', '877'].includes(typeCode ?? ''),
  'BR-DE-21': ({ specification }) => specification === 'urn:cen.eu:en16931:2017#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0',
  'PEPPOL-EN16931-R001': ({ process }) => process !== null,
  'PEPPOL-EN16931-R010': ({ buyer }) => !!buyer.endpoint && !!buyer.scheme,
  'PEPPOL-EN16931-R020': ({ seller }) => !!seller.endpoint && !!seller.scheme,
}

/** Rules of Peppol BIS Billing 3.0, with those of the countries of sellers. */
const peppol: Record<string, Rule> = {
  ...nationalRules,
  'PEPPOL-EN16931-R001': ({ process }) => process !== null,
  'PEPPOL-EN16931-R002': ({ notes }) => notes <= 1,
  'PEPPOL-EN16931-P0100 P0101': ({ typeCode }) => ['380', '381'].includes(typeCode ?? ''),
  'PEPPOL-EN16931-R003': ({ buyerReference, orderReference }) => !!buyerReference || !!orderReference,
  'PEPPOL-EN16931-R004': ({ specification }) =>
    specification === 'urn:cen.eu:en16931:2017#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0',
  'PEPPOL-EN16931-R007': ({ process }) => process === billing,
  'PEPPOL-EN16931-R008': ({ empty }) => empty.length === 0,
  'PEPPOL-EN16931-R010': ({ buyer }) => !!buyer.endpoint,
  'PEPPOL-EN16931-R020': ({ seller }) => !!seller.endpoint,
  // The list EAS of Peppol has four digits each and no e-mail addresses.
  'PEPPOL-EN16931-CL008': ({ seller, buyer }) => [seller, buyer].every(({ scheme }) => /^\d{4}$/.test(scheme ?? '')),
}

/** Returns the names of the rules of a profile that an invoice violates. */
export function findViolatedProfileRules(invoice: ReadProfile, profile: 'xrechnung' | 'peppol'): string[] {
  return Object.entries(profile === 'xrechnung' ? xrechnung : peppol).flatMap(([name, holds]) => (holds(invoice) ? [] : [name]))
}
