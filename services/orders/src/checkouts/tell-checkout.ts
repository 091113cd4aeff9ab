import { checkoutUpdated, type Checkout as CheckoutReply } from '@quittance/contracts/checkouts'
import type { Transaction } from '@quittance/runtime/handler'
import type { JsonText } from '@quittance/runtime/view'
import type { Checkout } from './checkout.ts'
import { checkoutView } from './checkout-view.ts'

/** Tells how a checkout stands after a change, and answers the same. */
export async function tellCheckout({ id, organizationId }: Checkout, { read, publish }: Transaction): Promise<JsonText<CheckoutReply>> {
  const view = await read.one(checkoutView, { where: 'ch.id = :id', values: { id } })
  publish({ event: checkoutUpdated, aggregateId: id, organizationId, payload: view })
  return view
}
