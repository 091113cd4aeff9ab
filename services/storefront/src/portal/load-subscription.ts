import { listCustomerOrders } from '@quittance/contracts/customer-portal'
import { getCustomerSubscription, type CustomerSubscription } from '@quittance/contracts/customer-subscriptions'
import { ApiFailure } from '@quittance/pages/call-api'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { createMoneyFormat } from '../checkout/order-summary.ts'
import type { AppOptions } from '../page/page-context.ts'
import type { PortalRoute, PortalSession } from './portal-session.ts'

/** A request for a page of one subscription. */
export interface Exchange {
  request: FastifyRequest<PortalRoute>
  reply: FastifyReply
  options: AppOptions
}

/** Returns the subscription of the address; throws `ApiFailure` with 404 for one of another customer or seller. */
export async function loadSubscription(
  { call, organization }: PortalSession,
  { request, options: { api } }: Exchange,
): Promise<CustomerSubscription> {
  const subscription = await api.call(getCustomerSubscription, { id: request.params.id }, call)
  if (subscription.product.organization_id === organization.id) return subscription
  throw new ApiFailure(404, { body: {}, retryAfterSeconds: null })
}

/** Whether the seller allows customers to change the plan, and the subscription can change. */
export function mayChangePlan({ status, cancel_at_period_end: isEnding }: CustomerSubscription, { organization }: PortalSession): boolean {
  return organization.subscription_settings.allow_customer_updates && status === 'active' && !isEnding
}

/** Describes a sum of a subscription; where tax is added, as the last order shows, that tax is added: it is computed with the order. */
export async function describeSum(
  amount: number,
  { subscription, session, exchange }: { subscription: CustomerSubscription; session: PortalSession; exchange: Exchange },
): Promise<string> {
  const { id, currency, price } = subscription
  const { context, call } = session
  const sum = createMoneyFormat(currency, context)(amount)
  if ('tax_behavior' in price && price.tax_behavior === 'inclusive') return sum
  const { items } = await exchange.options.api.call(listCustomerOrders, { subscription_id: [id], limit: 1 }, call)
  const isTaxAdded = items.some(({ taxes }) => taxes.some(({ percentage, reverse_charge: isReversed }) => percentage > 0 && !isReversed))
  return isTaxAdded ? context.words.checkout.plusTax(sum) : sum
}
