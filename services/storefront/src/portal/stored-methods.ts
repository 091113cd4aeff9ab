import { listCustomerPaymentMethods, type CustomerPaymentMethod } from '@quittance/contracts/customer-payment-methods'
import { fieldError } from '@quittance/pages/fields'
import { html, type Html } from '@quittance/pages/html'
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

interface MethodChoice {
  legend: string
  methods: readonly CustomerPaymentMethod[]
  /** Id of the selected method; empty for the other way to pay. */
  selected: string
  /** Name of the other way to pay; null if there is none. */
  other: string | null
  error: string | null
}

/** Returns the fields that choose one of the stored methods: `payment_method_id`. */
export function methodChoice(context: PageContext, { legend, methods, selected, other, error }: MethodChoice): Html {
  const option = (value: string, label: Html, id: string | null = null) =>
    html`<label class="choice">
      <input
        type="radio"
        name="payment_method_id"
        value="${value}"
        ${id && html`id="${id}"`}
        ${value === selected && html`checked`}
        ${error && value === selected && html`aria-invalid="true" aria-describedby="field-payment_method_id-error"`}
      />
      ${label}
    </label>`
  const describe = (method: CustomerPaymentMethod) =>
    html`<span><bdi>${nameMethod(method)}</bdi></span>
      ${method.card && html`<span class="quiet">${context.words.method.expires} ${formatExpiry(method.card, context)}</span>`}`
  return html`<fieldset>
    <legend>${legend}</legend>
    ${methods.map((method, index) => option(method.id, describe(method), index === 0 ? 'field-payment_method_id' : null))}
    ${other && option('', html`<span>${other}</span>`)} ${fieldError('payment_method_id', error)}
  </fieldset>`
}
