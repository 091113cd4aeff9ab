import type { ReadProfile, ReadProfileParty } from './read-profile.ts'

type Rule = (invoice: ReadProfile) => boolean

const hasStreetCityAndCode = ({ street, city, postalCode }: ReadProfileParty) => !!street && !!city && !!postalCode
const isRegistered = ({ legalId, legalScheme }: ReadProfileParty, ...schemes: string[]) => !!legalId && schemes.includes(legalScheme ?? '')

/** The country of the VAT number, else of the address. */
function taxCountry({ vatNumber, country }: ReadProfileParty): string | null {
  return vatNumber?.slice(0, 2) ?? country
}

function from(country: string, rule: Rule): Rule {
  return (invoice) => invoice.seller.country !== country || rule(invoice)
}

function within(country: string, rule: Rule): Rule {
  return from(country, (invoice) => invoice.buyer.country !== country || rule(invoice))
}

function taxedIn(country: string, rule: Rule): Rule {
  return (invoice) => taxCountry(invoice.seller) !== country || rule(invoice)
}

/** Check digit of a Norwegian organization number, modulo 11. */
function isNorwegianNumber(id: string): boolean {
  const sum = [3, 2, 7, 6, 5, 4, 3, 2].reduce((total, weight, index) => total + weight * Number(id[index]), 0)
  return (11 - (sum % 11)) % 11 === Number(id[8])
}

/** Luhn. */
function isSwedishNumber(id: string): boolean {
  const products = Array.from(id, (digit, index) => Number(digit) * (index % 2 === 0 ? 2 : 1))
  const sum = products.reduce((total, product) => total + (product > 9 ? product - 9 : product), 0)
  return /^\d{10}$/.test(id) && sum % 10 === 0
}

/** Rules of Peppol BIS Billing 3.0 for the countries of sellers, written by hand: no package contains them. */
export const nationalRules: Record<string, Rule> = {
  'DE-R-001': within('DE', ({ paymentMeans }) => paymentMeans.length > 0),
  'DE-R-002 DE-R-005 DE-R-006 DE-R-007': within('DE', ({ contact: { name, phone, email } }) => !!name && !!phone && !!email),
  'DE-R-003 DE-R-004': within('DE', ({ seller }) => !!seller.city && !!seller.postalCode),
  'DE-R-008 DE-R-009': within('DE', ({ buyer }) => !!buyer.city && !!buyer.postalCode),
  'DE-R-014': within('DE', ({ rates }) => rates.every((rate) => rate !== null)),
  'DE-R-015': within('DE', ({ buyerReference }) => !!buyerReference),
  'DE-R-016': within('DE', ({ seller }) => !!(seller.vatNumber ?? seller.taxRegistration)),
  'DK-R-002 DK-R-014': from('DK', ({ seller }) => isRegistered(seller, '0184')),
  'DK-R-005': within('DK', ({ paymentMeans }) =>
    paymentMeans.every((code) => ['1', '10', '31', '42', '48', '49', '50', '58', '59', '93', '97'].includes(code)),
  ),
  // The number of an invoice has six segments; no document here has the mark of the tax authority.
  'GR-R-001 GR-R-004': (invoice) => !['GR', 'EL'].includes(taxCountry(invoice.seller) ?? ''),
  'IS-R-001': from('IS', ({ typeCode }) => ['380', '381'].includes(typeCode ?? '')),
  'IS-R-002': from('IS', ({ seller }) => isRegistered(seller, '0196')),
  'IS-R-003': from('IS', ({ seller }) => !!seller.street && !!seller.postalCode),
  'IS-R-004': within('IS', ({ buyer }) => isRegistered(buyer, '0196')),
  'IS-R-005': within('IS', ({ buyer }) => !!buyer.street && !!buyer.postalCode),
  'IT-R-001': taxedIn('IT', ({ seller }) => seller.taxRegistration === null || /^[A-Z0-9]{11,16}$/.test(seller.taxRegistration)),
  'IT-R-002 IT-R-003 IT-R-004': taxedIn('IT', ({ seller }) => hasStreetCityAndCode(seller)),
  'NL-R-001': from('NL', ({ typeCode, precedingInvoice }) => typeCode !== '381' || !!precedingInvoice),
  'NL-R-002': from('NL', ({ seller }) => hasStreetCityAndCode(seller)),
  'NL-R-003': from('NL', ({ seller }) => seller.legalId === null || isRegistered(seller, '0106', '0190')),
  'NL-R-004': within('NL', ({ buyer }) => hasStreetCityAndCode(buyer)),
  'NL-R-005': within('NL', ({ buyer }) => buyer.legalId === null || isRegistered(buyer, '0106', '0190')),
  'NL-R-007': from(
    'NL',
    ({ typeCode, payable, paymentMeans }) => paymentMeans.length > 0 || (typeCode === '381' ? payable >= 0 : payable <= 0),
  ),
  'NL-R-008': from('NL', ({ paymentMeans }) => paymentMeans.every((code) => ['30', '48', '49', '57', '58', '59'].includes(code))),
  'NO-R-001': taxedIn('NO', ({ seller: { vatNumber } }) => {
    const [, id] = /^NO(\d{9})MVA$/.exec(vatNumber ?? '') ?? []
    return vatNumber === null || (id !== undefined && isNorwegianNumber(id))
  }),
  'SE-R-001 SE-R-002': from('SE', ({ seller: { vatNumber } }) => !vatNumber?.startsWith('SE') || /^SE\d{12}$/.test(vatNumber)),
  'SE-R-003 SE-R-004 SE-R-013': from('SE', ({ seller }) => seller.legalId === null || isSwedishNumber(seller.legalId)),
  'SE-R-005': from('SE', ({ seller }) => seller.legalId === null || seller.taxRegistration === null),
  'SE-R-006': from('SE', ({ categories, rates }) =>
    categories.every((category, index) => category !== 'S' || [6, 12, 25].includes(Number(rates[index]))),
  ),
}
