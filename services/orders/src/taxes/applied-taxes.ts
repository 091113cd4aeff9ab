import type { AppliedTax } from '@quittance/contracts/taxes'
import type { OrderAmounts } from '../orders/order-amounts.ts'

/** Taxes of a sale as they are kept and answered. */
export function appliedTaxes({ taxes }: OrderAmounts): AppliedTax[] {
  return taxes.map(({ rate: { name, country, state, partsPerMillion, isReverseCharge }, taxable, amount }) => ({
    ...{ name, country, state },
    percentage: Number(partsPerMillion) / 10_000,
    reverse_charge: isReverseCharge,
    taxable_amount: Number(taxable),
    amount: Number(amount),
  }))
}
