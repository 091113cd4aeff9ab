import { listCustomerPaymentMethods, type CustomerPaymentMethod } from '@quittance/contracts/customer-payment-methods'
import type { PageContext } from '../page/page-context.ts'
import type { Exchange } from './load-subscription.ts'
import type { PortalSession } from './portal-session.ts'

/** Methods that pages show; a customer has few. */
const maxMethods = 50

/** Loads the stored payment methods of the customer. */
export async function loadMethods({ call }: PortalSession, { options: { api } }: Exchange): Promise<CustomerPaymentMethod[]> {
  return (await api.call(listCustomerPaymentMethods, { limit: maxMethods }, call)).items
}

/** Names a method as buyers know it: "Visa •••• 4242". */
export function nameMethod({ type, card }: CustomerPaymentMethod): string {
  const name = card?.brand ?? type
  const title = name.charAt(0).toLocaleUpperCase('en') + name.slice(1)
  return card?.last4 ? `${title} •••• ${card.last4}` : title
}

/** Formats the month until which a card is valid. */
export function formatExpiry(
  { exp_month: month, exp_year: year }: NonNullable<CustomerPaymentMethod['card']>,
  { locale }: PageContext,
): string {
  const format = new Intl.DateTimeFormat(locale, { month: '2-digit', year: 'numeric', timeZone: 'UTC', numberingSystem: 'latn' })
  return format.format(Date.UTC(year, month - 1))
}
