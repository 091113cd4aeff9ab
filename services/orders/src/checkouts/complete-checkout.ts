import { checkoutUpdated } from '@quittance/contracts/checkouts'
import type { Transaction } from '@quittance/runtime/handler'
import { Checkout } from './checkout.ts'
import { checkoutView } from './checkout-view.ts'

/** What a confirmed checkout asked for was paid. */
export async function completeCheckout(id: string, { em, read, publish }: Transaction): Promise<void> {
  const checkout = await em.findOneOrFail(Checkout, id)
  checkout.succeed()
  const view = await read.one(checkoutView, { where: 'ch.id = :id', values: { id } })
  publish({ event: checkoutUpdated, aggregateId: id, organizationId: checkout.organizationId, payload: view })
}
