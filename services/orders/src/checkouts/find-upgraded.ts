import type { createCheckout } from '@quittance/contracts/checkouts'
import { RequestValidationError } from '@quittance/contracts/errors'
import type { RequestOf } from '@quittance/contracts/operation'
import type { Transaction } from '@quittance/runtime/handler'
import type { Product } from '../products/product.ts'
import { Subscription } from '../subscriptions/subscription.ts'
import { activeStatuses } from '../subscriptions/subscription-status.ts'

type Request = RequestOf<typeof createCheckout>

/** The free subscription that a checkout is to upgrade, or null when it is not about one. */
export async function findUpgraded(
  { subscription_id: id, customer_id }: Request,
  { product, em }: { product: Product; em: Transaction['em'] },
): Promise<Subscription | null> {
  if (!id) return null
  const { organizationId } = product
  const subscription = await em.findOne(Subscription, { id, organizationId, status: { $in: [...activeStatuses] } })
  if (!subscription) throw refused('Subscription does not exist or has ended.')
  if (subscription.priceAmount > 0n) throw refused('Only a free subscription is upgraded by a checkout.')
  if (!product.recurringInterval) throw refused('Product is not recurring.')
  if (customer_id && customer_id !== subscription.customerId) throw refused('Subscription is of another customer.')
  return subscription
}

function refused(message: string): RequestValidationError {
  return RequestValidationError.field(['subscription_id'], message)
}
