import type { Transaction } from '@quittance/runtime/handler'
import { Discount } from '../discounts/discount.ts'
import { Checkout } from './checkout.ts'
import { tellCheckout } from './tell-checkout.ts'

/** The payment of a confirmed checkout was declined: its buyer can try again, and the discount has its redemption back. */
export async function reopenCheckout(id: string, transaction: Transaction): Promise<void> {
  const { em, now } = transaction
  const checkout = await em.findOneOrFail(Checkout, id)
  checkout.reopen(now)
  const discount = checkout.discountId ? await em.findOneOrFail(Discount, checkout.discountId) : null
  discount?.giveBack()
  await tellCheckout(checkout, transaction)
}
