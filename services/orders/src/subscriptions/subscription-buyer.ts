import type { Address } from '@quittance/contracts/address'
import type { TaxId } from '@quittance/contracts/tax-id'
import type { Transaction } from '@quittance/runtime/handler'
import { Customer } from '../customers/customer.ts'
import { isTaxIdOfCountry, parseTaxId } from '@quittance/runtime/tax-id'
import { Order } from '../orders/order.ts'
import type { Subscription } from './subscription.ts'

/** Billing recipient of a subscription's orders. */
export interface SubscriptionBuyer {
  name: string | null
  address: Address | null
  taxId: TaxId | null
}

/**
 * Loads the current details of the customer or, if the customer has no address, those of the last order: details typed at a checkout stay
 * with its orders unless the seller named the customer.
 */
export async function loadSubscriptionBuyer(
  { id, customerId }: Pick<Subscription, 'id' | 'customerId'>,
  em: Transaction['em'],
): Promise<SubscriptionBuyer> {
  const customer = await em.findOneOrFail(Customer, customerId)
  const previous = await em.findOne(Order, { subscriptionId: id }, { orderBy: { createdAt: 'desc', id: 'desc' } })
  const address = customer.billingAddress ?? previous?.billingAddress ?? null
  return { name: previous?.billingName ?? customer.name ?? null, address, taxId: customer.taxId ?? taxIdIn(previous, address) }
}

function taxIdIn(order: Order | null, address: Address | null): TaxId | null {
  const country = address?.country
  return order?.taxId && country && isTaxIdOfCountry(order.taxId, country) ? parseTaxId(order.taxId, { country, field: 'tax_id' }) : null
}
