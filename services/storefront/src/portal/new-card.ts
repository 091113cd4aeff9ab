import { getPortalOrganization, type CustomerOrder } from '@quittance/contracts/customer-portal'
import { html, type Html } from '@quittance/pages/html'
import type { Payable } from '../checkout/payment-form.ts'
import type { Exchange } from './load-subscription.ts'
import type { PortalSession } from './portal-session.ts'

/** Loads what the form for a new card needs. The card is that of later orders too. */
export async function loadPayable(
  { organization, call }: PortalSession,
  { options: { api } }: Exchange,
  sum: Pick<Payable, 'total_amount' | 'currency' | 'is_payment_required'>,
): Promise<Payable> {
  const request = { slug: organization.slug }
  const { payment_processor_metadata: metadata = {} } = await api.call(getPortalOrganization, request, { visitor: call.visitor })
  return { ...sum, organization, payment_processor_metadata: { ...metadata, setup_future_usage: 'off_session' } }
}

/** The same for a card that is stored without a payment. */
export function loadSetup(session: PortalSession, exchange: Exchange): Promise<Payable> {
  const { default_presentment_currency: currency } = session.organization
  return loadPayable(session, exchange, { total_amount: 0, currency, is_payment_required: false })
}

/** Renders what the form of a provider sends with a card: the details of an order, else those of the customer. */
export function billingDetails(
  { customer }: PortalSession,
  order: Pick<CustomerOrder, 'billing_name' | 'billing_address'> | null = null,
): Html {
  const address = order ? order.billing_address : customer.billing_address
  const values = {
    customer_name: order?.billing_name ?? customer.name,
    customer_email: customer.email,
    'customer_billing_address.country': address?.country,
    'customer_billing_address.postal_code': address?.postal_code,
    'customer_billing_address.state': address?.state,
  }
  return html`${Object.entries(values).map(([field, value]) => value && html`<input type="hidden" name="${field}" value="${value}" />`)}`
}
