import { LockMode } from '@mikro-orm/core'
import { updateCheckout as contract } from '@quittance/contracts/checkouts'
import { command } from '@quittance/runtime/handler'
import { Discount } from '../discounts/discount.ts'
import { changeProduct } from './change-product.ts'
import { Checkout } from './checkout.ts'
import { unusableDiscount } from './find-discount-by-code.ts'
import { priceCheckout } from './price-checkout.ts'
import { tellCheckout } from './tell-checkout.ts'

export const updateCheckout = command(contract, async ({ id, ...change }, context) => {
  const { em, now } = context
  const checkout = await em.findOneOrFail(Checkout, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE })
  checkout.refuseUnlessOpen(now)
  await changeProduct(context, checkout, change)
  if (change.discount_id === null) checkout.applyDiscount(null)
  if (change.discount_id) {
    const { organizationId, productId, currency } = checkout
    const discount = await em.findOne(Discount, { id: change.discount_id, organizationId })
    if (!discount?.isRedeemable({ productId, currency, now })) throw unusableDiscount('discount_id')
    checkout.applyDiscount(discount)
  }
  checkout.fillIn(change)
  checkout.arrange(change)
  await priceCheckout(checkout, context)
  return tellCheckout(checkout, context)
})
