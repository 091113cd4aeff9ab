import { RequestValidationError } from '@quittance/contracts/errors'
import type { Transaction } from '@quittance/runtime/handler'
import { Discount } from '../discounts/discount.ts'
import { Product } from '../products/product.ts'
import type { Checkout } from './checkout.ts'

/** Which product is wanted, by itself or by its price (the older way). */
interface Choice {
  product_id?: string | null | undefined
  product_price_id?: string | null | undefined
  /** What the buyer wants to pay, in minor units, where the price lets them name it. */
  amount?: number | null | undefined
}

/** Another of the offered products, or another amount: the price is taken, and a discount that does not hold for it is dropped. */
export async function changeProduct({ em, now }: Transaction, checkout: Checkout, choice: Choice): Promise<void> {
  const { product_id, product_price_id, amount } = choice
  if (!product_id && !product_price_id && !amount) return
  const offered = await em.find(Product, { id: { $in: checkout.productIds }, isArchived: false }, { populate: ['prices'] })
  const product = offered.find((each) => isChosen(each, checkout, choice))
  if (!product) {
    throw RequestValidationError.field(
      [product_id || !product_price_id ? 'product_id' : 'product_price_id'],
      'Product is not offered by this checkout.',
    )
  }
  checkout.chooseProduct(product, amount ? BigInt(amount) : null)
  const discount = checkout.discountId ? await em.findOne(Discount, checkout.discountId) : null
  const holds = discount?.isRedeemable({ productId: product.id, currency: checkout.currency, now })
  checkout.applyDiscount(holds ? discount : null)
}

function isChosen(product: Product, { productId }: Checkout, { product_id, product_price_id }: Choice): boolean {
  if (product_id || !product_price_id) return product.id === (product_id ?? productId)
  return product.currentPrice().id === product_price_id
}
