import { RequestValidationError } from '@quittance/contracts/errors'
import type { Transaction } from '@quittance/runtime/handler'
import { Product } from '../products/product.ts'
import { ProductPrice } from '../products/product-price.ts'
import { Proration } from './proration.ts'
import type { Subscription } from './subscription.ts'

/** A product the subscription can change to, or `RequestValidationError`. */
export async function chooseRecurringProduct(
  subscription: Subscription,
  { productId, em }: { productId: string; em: Transaction['em'] },
): Promise<Product> {
  const { organizationId } = subscription
  const product = await em.findOne(Product, { id: productId, organizationId, isArchived: false }, { populate: ['prices'] })
  if (!product) throw refused('Product does not exist or is archived.')
  if (!product.recurringInterval) throw refused('Product is not recurring.')
  if (product.id === subscription.productId) throw refused('This is the product of the subscription already.')
  const price = product.currentPrice()
  if (price.amountType === 'custom') throw refused('The customer has to name what they pay for this product.')
  await refuseMixedAmounts(subscription, { price, em })
  if (price.priceAmount && !subscription.paymentToken) throw refused('The customer has no way to pay for this product.')
  return product
}

/** One currency and one way to state tax in an order: with something left to bill of the old price, the new one is like it. */
async function refuseMixedAmounts(
  { id, productPriceId, periodAmount, currency }: Subscription,
  { price, em }: { price: ProductPrice; em: Transaction['em'] },
): Promise<void> {
  if (price.amountType === 'free') return
  const isNothingLeft = periodAmount === 0n && (await em.count(Proration, { subscriptionId: id, orderId: null })) === 0
  if (isNothingLeft) return
  if (price.priceCurrency !== currency) throw refused(`The price of the product is not in ${currency}.`)
  const { amountType, taxBehavior } = await em.findOneOrFail(ProductPrice, productPriceId)
  if (amountType !== 'free' && price.taxBehavior !== taxBehavior) throw refused(`The price of the product is not ${taxBehavior} of tax.`)
}

function refused(message: string): RequestValidationError {
  return RequestValidationError.field(['product_id'], message)
}
