import { checkoutUpdated } from '@quittance/contracts/checkouts'
import type { Transaction } from '@quittance/runtime/handler'
import { Discount } from '../discounts/discount.ts'
import { Checkout } from './checkout.ts'
import { checkoutView } from './checkout-view.ts'

/** The payment of a confirmed checkout was declined: its buyer can try again, and the discount has its redemption back. */
export async function reopenCheckout(id: string, { em, now, read, publish }: Transaction): Promise<void> {
  const checkout = await em.findOneOrFail(Checkout, id)
  checkout.reopen(now)
  const discount = checkout.discountId ? await em.findOneOrFail(Discount, checkout.discountId) : null
  discount?.giveBack()
  const view = await read.one(checkoutView, { where: 'ch.id = :id', values: { id } })
  publish({ event: checkoutUpdated, aggregateId: id, organizationId: checkout.organizationId, payload: view })
}
