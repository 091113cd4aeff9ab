import type { Checkout as CheckoutReply } from '@quittance/contracts/checkout'
import type { JsonText } from '@quittance/sql/view'
import type { Checkout } from './checkout.ts'

/**
 * Payload of checkout events: all fields the seller sees, with the checkout id in place of the client secret. Endpoints and consumers get
 * nothing that confirms the checkout; authorized callers get the secret from `GET /v1/checkouts/{id}`.
 */
export function checkoutEvent(view: JsonText<CheckoutReply>, { id, clientSecret }: Checkout): JsonText<CheckoutReply> {
  return view.replaceAll(clientSecret, id)
}
