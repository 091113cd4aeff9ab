import type { Address } from '@quittance/contracts/address'
import { RequestValidationError } from '@quittance/contracts/errors'
import type { Transaction } from '@quittance/runtime/handler'
import { isTaxIdOfCountry, parseTaxId } from '@quittance/runtime/tax-id'
import { configuredRates } from '../catalog/taxes/tax-calculator.ts'
import type { TaxRate } from '../pricing/tax-amounts.ts'
import type { Order } from './order.ts'

type Sale = Pick<Order, 'organizationId' | 'productId' | 'netAmount' | 'billingAddress' | 'taxId' | 'taxes'>

/**
 * Throws `RequestValidationError` if the tax of an order, or its tax ID, does not fit a new billing address: the permanent invoice would
 * charge the tax of one place to a buyer in another. An order that was placed without an address has no tax of any place.
 */
export async function assertTaxFits(sale: Sale, address: Address | null, context: Pick<Transaction, 'sql'>): Promise<void> {
  const before = sale.billingAddress ?? null
  if (isSamePlace(before, address) || (!before && sale.taxes.length === 0)) return
  if (address && sale.taxId && before?.country !== address.country && !isTaxIdOfCountry(sale.taxId, address.country)) {
    throw createPlaceError('country', 'The tax ID of the order belongs to another country.')
  }
  const rate = await findRate(sale, address, context)
  const isUnchanged = before !== null && rate !== 'unknown' && rateKey(rate) === rateKey(await findRate(sale, before, context))
  if (isUnchanged || (rate !== 'unknown' && hasTax(sale, rate))) return
  const part = before?.country === address?.country ? 'state' : 'country'
  throw createPlaceError(part, 'The tax of this order was charged for another place. Refund the order and sell again at this address.')
}

function isSamePlace(one: Address | null, other: Address | null): boolean {
  return one?.country === other?.country && (one?.state ?? null) === (other?.state ?? null)
}

async function findRate(
  { organizationId, productId, netAmount, taxId: number }: Sale,
  address: Address | null,
  context: Pick<Transaction, 'sql'>,
): Promise<TaxRate | null | 'unknown'> {
  const country = address?.country ?? null
  const taxId = number && country && isTaxIdOfCountry(number, country) ? parseTaxId(number, { country, field: 'tax_id' }) : null
  const rates = await configuredRates.ratesFor({ organizationId, address, taxId, lines: [{ productId, amount: netAmount }] }, context)
  return rates === null ? 'unknown' : (rates[0] ?? null)
}

function hasTax({ taxes }: Sale, rate: TaxRate | null): boolean {
  if (!rate) return taxes.length === 0
  const applied = taxes.map(({ country, state, percentage, reverse_charge: isReversed }) =>
    [country, state, percentage, isReversed].join('\n'),
  )
  return applied.length > 0 && applied.every((key) => key === rateKey(rate))
}

function rateKey(rate: TaxRate | null | 'unknown'): string {
  if (rate === null || rate === 'unknown') return String(rate)
  return [rate.country, rate.state, Number(rate.partsPerMillion) / 10_000, rate.isReverseCharge].join('\n')
}

function createPlaceError(part: 'country' | 'state', message: string): RequestValidationError {
  return RequestValidationError.field(['billing_address', part], message, 'tax_place')
}
