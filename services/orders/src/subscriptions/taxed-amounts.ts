import type { Transaction } from '@quittance/runtime/handler'
import { Customer } from '../customers/customer.ts'
import { orderAmounts, type PricedLine } from '../orders/order-amounts.ts'
import type { Sale } from '../orders/place-order.ts'
import { ProductPrice } from '../products/product-price.ts'
import { configuredRates } from '../taxes/configured-rates.ts'
import type { Subscription } from './subscription.ts'

interface Billed {
  context: Pick<Transaction, 'em' | 'rows'>
  /** As advertised. */
  lines: readonly Omit<PricedLine, 'rate'>[]
  /** Of the lines it holds for; zero for none. */
  discount: bigint
}

/** Amounts of an order of a subscription, with the tax of where its customer is now. Where that is not known, no tax is charged. */
export async function taxedAmounts(
  { organizationId, customerId, productId, productPriceId }: Subscription,
  { context, lines, discount }: Billed,
): Promise<Pick<Sale, 'amounts' | 'taxBehavior'>> {
  const { em } = context
  const { billingAddress, taxId } = await em.findOneOrFail(Customer, customerId)
  const { taxBehavior } = await em.findOneOrFail(ProductPrice, productPriceId)
  const taxed = {
    organizationId,
    address: billingAddress ?? null,
    taxId: taxId ?? null,
    lines: lines.map(({ amount }) => ({ productId, amount })),
  }
  const rates = await configuredRates.ratesFor(taxed, context)
  const priced = lines.map(({ amount, isDiscountable = true }, position) => ({
    amount,
    isDiscountable,
    rate: rates?.[position] ?? null,
  }))
  return { taxBehavior, amounts: orderAmounts({ lines: priced, discount: { type: 'fixed', amount: discount }, taxBehavior }) }
}
