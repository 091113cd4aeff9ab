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
 * Loads the details of the subscription's last order, because what was typed at a checkout stays with its subscription unless the seller named
 * the customer. Address and tax id that the customer or the seller changed since are those of the customer.
 */
export async function loadSubscriptionBuyer(
  { id, customerId }: Pick<Subscription, 'id' | 'customerId'>,
  em: Transaction['em'],
): Promise<SubscriptionBuyer> {
  const customer = await em.findOneOrFail(Customer, customerId)
  const previous = await em.findOne(Order, { subscriptionId: id }, { orderBy: { createdAt: 'desc', id: 'desc' } })
  return { name: previous?.billingName ?? customer.name ?? null, ...chooseDetails(customer, previous) }
}

function chooseDetails(customer: Customer, previous: Order | null): Pick<SubscriptionBuyer, 'address' | 'taxId'> {
  const own = { address: customer.billingAddress ?? null, taxId: customer.taxId ?? null }
  if (!previous?.billingAddress) return own
  const isNewer = (changedAt: Date | null | undefined) => Boolean(changedAt && changedAt > previous.createdAt)
  const address = (isNewer(customer.billingAddressChangedAt) && own.address) || previous.billingAddress
  return { address, taxId: isNewer(customer.taxIdChangedAt) ? own.taxId : taxIdIn(previous, address) }
}

function taxIdIn({ taxId }: Order, { country }: Address): TaxId | null {
  return taxId && isTaxIdOfCountry(taxId, country) ? parseTaxId(taxId, { country, field: 'tax_id' }) : null
}
