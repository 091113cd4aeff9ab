import { RequestValidationError } from '@quittance/contracts/errors'
import type { Transaction } from '@quittance/runtime/handler'
import { Product } from '../products/product.ts'
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
  if (product.currentPrice().priceAmount && !subscription.paymentToken) throw refused('The customer has no way to pay for this product.')
  return product
}

function refused(message: string): RequestValidationError {
  return RequestValidationError.field(['product_id'], message)
}
