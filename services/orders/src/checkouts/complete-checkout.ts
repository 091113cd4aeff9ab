import type { Transaction } from '@quittance/runtime/handler'
import { Checkout } from './checkout.ts'
import { tellCheckout } from './tell-checkout.ts'

/** What a confirmed checkout asked for was paid. */
export async function completeCheckout(id: string, transaction: Transaction): Promise<void> {
  const checkout = await transaction.em.findOneOrFail(Checkout, id)
  checkout.succeed()
  await tellCheckout(checkout, transaction)
}
