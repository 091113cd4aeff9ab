import type { Address } from '@quittance/contracts/address'
import { vatNumber } from '../documents/vat-number.ts'

/** Identifier of a party with its scheme of the list ICD (ISO 6523). */
export interface RegisterIdentifier {
  scheme: string
  id: string
}

/** Registers of companies whose numbers are, or are part of, the tax ID: pattern of the tax ID without punctuation. */
const registers = new Map<string, { scheme: string; pattern: RegExp; prefix?: string }>([
  ['DK', { scheme: '0184', pattern: /^(?:DK)?(\d{8})$/, prefix: 'DK' }],
  ['IS', { scheme: '0196', pattern: /^(\d{10})$/ }],
  ['NL', { scheme: '0106', pattern: /^(\d{8})$/ }],
  ['NO', { scheme: '0192', pattern: /^(?:NO)?(\d{9})(?:MVA)?$/ }],
  ['SE', { scheme: '0007', pattern: /^(?:SE)?(\d{10})(?:01)?$/ }],
])

/** Returns the number of a party in the register of its country (BT-30, BT-47), if the tax ID contains one. */
export function findRegisterIdentifier(party: { address: Address | null; taxId: string | null }): RegisterIdentifier | null {
  const register = registers.get(party.address?.country ?? '')
  const [, number] = register?.pattern.exec((party.taxId ?? '').toUpperCase().replaceAll(/[^0-9A-Z]/g, '')) ?? []
  if (!register || !number) return null
  const identifier = { scheme: register.scheme, id: `${register.prefix ?? ''}${number}` }
  return isValidIdentifier(identifier) ? identifier : null
}

/** Returns the country whose rules a seller follows: that of the VAT number, else of the address. `EL` of Greece is `GR`. */
export function findTaxCountry({ address, taxId }: { address: Address; taxId: string }): string {
  const prefix = vatNumber(taxId, address.country)?.slice(0, 2) ?? address.country
  return prefix === 'EL' ? 'GR' : prefix
}

/** Whether an identifier has the form and check digits of its scheme (PEPPOL-COMMON-R040 to R050); true for schemes without such a rule. */
export function isValidIdentifier({ scheme, id }: RegisterIdentifier): boolean {
  return checks.get(scheme)?.(id) ?? true
}

const checks = new Map<string, (id: string) => boolean>([
  ['0007', (id) => /^\d{10}$/.test(id) && weightedSum(digits(id), [2, 1], { addsDigits: true }) % 10 === 0],
  ['0088', (id) => /^\d{2,}$/.test(id) && weightedSum(digits(id).toReversed(), [1, 3]) % 10 === 0],
  ['0151', (id) => /^[1-9]\d{10}$/.test(id) && (weightedSum(digits(id), [10, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19]) - 10) % 89 === 0],
  ['0184', (id) => /^DK\d{8}$/.test(id)],
  ['0192', (id) => /^\d{9}$/.test(id) && weightedSum(digits(id), [3, 2, 7, 6, 5, 4, 3, 2, 1]) % 11 === 0],
  ['0208', (id) => /^\d{10}$/.test(id) && 97 - (Number(id.slice(0, 8)) % 97) === Number(id.slice(8))],
])

function digits(id: string): number[] {
  return Array.from(id, Number)
}

/** Adds up the digits times their weights, which repeat; `addsDigits` adds both digits of a product (Luhn). */
function weightedSum(values: readonly number[], weights: readonly number[], { addsDigits = false } = {}): number {
  return values.reduce((sum, value, index) => {
    const product = value * (weights[index % weights.length] as number)
    return sum + (addsDigits && product > 9 ? product - 9 : product)
  }, 0)
}
