import type { Transaction } from '@quittance/runtime/handler'
import { Customer } from '../customers/customer.ts'
import { Order } from '../orders/order.ts'
import type { Sale } from '../orders/place-order.ts'
import type { Subscription } from './subscription.ts'

/** What every order of a subscription has: details of the customer as they are now, and the name the last order was made out to. */
export type SubscriptionSale = Omit<
  Sale,
  'billingReason' | 'taxBehavior' | 'amounts' | 'lines' | 'discountId' | 'periodStart' | 'periodEnd'
>

export async function saleOfSubscription(subscription: Subscription, { em }: Pick<Transaction, 'em'>): Promise<SubscriptionSale> {
  const { id, organizationId, customerId, productId, currency, metadata } = subscription
  const customer = await em.findOneOrFail(Customer, customerId)
  const previous = await em.findOne(Order, { subscriptionId: id }, { orderBy: { createdAt: 'desc', id: 'desc' } })
  return {
    organizationId,
    currency,
    billingName: previous?.billingName ?? customer.name ?? null,
    billingAddress: customer.billingAddress ?? null,
    taxId: customer.taxId?.[0] ?? previous?.taxId ?? null,
    customerId,
    productId,
    subscriptionId: id,
    checkoutId: null,
    metadata,
  }
}
