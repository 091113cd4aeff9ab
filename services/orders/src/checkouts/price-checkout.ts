import type { Transaction } from '@quittance/runtime/handler'
import { taxIdOf } from '../customers/tax-id.ts'
import { Discount } from '../discounts/discount.ts'
import { orderAmounts } from '../orders/order-amounts.ts'
import type { Sale } from '../orders/place-order.ts'
import { ProductPrice } from '../products/product-price.ts'
import { configuredRates } from '../taxes/configured-rates.ts'
import type { Checkout } from './checkout.ts'

/**
 * Computes what a checkout costs as it stands now: the price, less the discount, with the tax of where the buyer is. Throws
 * `RequestValidationError` when its tax id is none of the country of its billing address.
 */
export async function priceCheckout(
  checkout: Checkout,
  context: Pick<Transaction, 'em' | 'rows'>,
): Promise<Pick<Sale, 'amounts' | 'taxBehavior'>> {
  const { em } = context
  const { organizationId, productId, priceAmount: amount, customerTaxId } = checkout
  const address = checkout.customerBillingAddress ?? null
  const taxId = customerTaxId ? taxIdOf(customerTaxId, { country: address?.country ?? null, field: 'customer_tax_id' }) : null
  checkout.customerTaxId = taxId?.[0] ?? null
  const { taxBehavior } = await em.findOneOrFail(ProductPrice, checkout.productPriceId)
  const discount = checkout.discountId ? await em.findOneOrFail(Discount, checkout.discountId) : null
  const rates = await configuredRates.ratesFor({ organizationId, address, taxId, lines: [{ productId, amount }] }, context)
  const amounts = orderAmounts({ lines: [{ amount, rate: rates?.[0] ?? null }], discount: discount?.rule() ?? null, taxBehavior })
  checkout.charge(amounts, { isTaxKnown: rates !== null || amounts.total === 0n })
  return { amounts, taxBehavior }
}
