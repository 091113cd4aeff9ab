import { updateCheckoutByClient as contract } from '@quittance/contracts/checkouts'
import { command } from '@quittance/runtime/handler'
import { changeProduct } from './change-product.ts'
import { checkoutPublicView } from './checkout-view.ts'
import { findDiscountByCode, unusableDiscount } from './find-discount-by-code.ts'
import { findOpenCheckout } from './find-open-checkout.ts'
import { priceCheckout } from './price-checkout.ts'
import { tellCheckout } from './tell-checkout.ts'

export const updateCheckoutByClient = command(contract, async ({ client_secret: secret, discount_code: code, ...change }, context) => {
  const { now, read } = context
  const checkout = await findOpenCheckout(context, secret)
  await changeProduct(context, checkout, change)
  if (checkout.allowDiscountCodes && code === null) checkout.applyDiscount(null)
  if (checkout.allowDiscountCodes && code) {
    const discount = await findDiscountByCode(context, { checkout, code })
    const { productId, currency } = checkout
    if (!discount.isRedeemable({ productId, currency, now })) throw unusableDiscount('discount_code')
    checkout.applyDiscount(discount)
  }
  checkout.fillIn(change)
  await priceCheckout(checkout, context)
  await tellCheckout(checkout, context)
  return read.one(checkoutPublicView, { where: 'ch.client_secret = :secret', values: { secret } })
})
