import { findProviderForm } from './improve-checkout.ts'
import { openStripe, type BillingDetails, type PaymentTerms, type Stripe, type StripeElements } from './stripe-types.ts'

/** Stripe's form in its place on the page. */
interface MountedForm {
  stripe: Stripe
  elements: StripeElements
  place: HTMLElement
}

let mounted: MountedForm | null = null
/** Place of the form that is mounted or about to be: the script of Stripe may still be loading. */
let taken: HTMLElement | null = null

/** Reads what the form is for from the page. */
function readTerms(): PaymentTerms {
  const { amount, currency = '', mode, usage } = document.querySelector<HTMLElement>('[data-live="provider-total"]')?.dataset ?? {}
  return {
    mode: mode === 'setup' ? 'setup' : 'payment',
    currency,
    ...(mode !== 'setup' && { amount: Number(amount) }),
    ...((usage || mode === 'setup') && { setupFutureUsage: 'off_session' as const }),
  }
}

/** Mounts the form, and states it if that fails. */
export async function mountForm(): Promise<void> {
  const place = findProviderForm()
  if (!place || taken === place) return
  taken = place
  const { key = '', locale = 'auto', seller = '', theme } = place.dataset
  const stripe = await openStripe(key)
  const isDark = theme ? theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches
  if (!stripe) return showState(place, { isLoaded: false })
  const appearance = { theme: isDark ? ('night' as const) : ('stripe' as const), variables: { borderRadius: '8px', fontSizeBase: '16px' } }
  const elements = stripe.elements({ ...readTerms(), locale, appearance })
  const element = elements.create('payment', { business: { name: seller } })
  element.on('ready', () => showState(place, { isLoaded: true }))
  element.on('loaderror', () => showState(place, { isLoaded: false }))
  element.mount(place.querySelector<HTMLElement>('[data-mount]') as HTMLElement)
  mounted = { stripe, elements, place }
}

function showState(place: HTMLElement, { isLoaded }: { isLoaded: boolean }): void {
  place.querySelector('[data-loading]')?.toggleAttribute('hidden', true)
  place.querySelector('[data-not-loaded]')?.toggleAttribute('hidden', isLoaded)
}

/** Shows what is wrong with a payment beside the form. */
export function showPaymentError(message: string): void {
  const error = document.querySelector('[data-payment-error]')
  if (error) error.textContent = message
}

/** Follows parts of the page that were replaced: other terms, or another place of the form. */
export function updateForm(): void {
  if (mounted && findProviderForm() === mounted.place) mounted.elements.update(readTerms())
  else void mountForm()
}

function readBillingDetails(form: HTMLFormElement): BillingDetails {
  const data = new FormData(form)
  const text = (name: string) => {
    const value = data.get(name)
    return typeof value === 'string' ? value : ''
  }
  const [country, postalCode, state] = ['country', 'postal_code', 'state'].map((part) => text(`customer_billing_address.${part}`))
  return {
    name: text('customer_name'),
    email: text('customer_email'),
    address: { ...(country && { country }), ...(postalCode && { postal_code: postalCode }), ...(state && { state }) },
  }
}

/** Returns a token for what was typed; null if the form is not there or shows what is wrong with it. */
export async function createToken(form: HTMLFormElement): Promise<string | null> {
  if (!mounted) return null
  return requestToken(form, mounted).catch(() => null)
}

async function requestToken(form: HTMLFormElement, { stripe, elements }: MountedForm): Promise<string | null> {
  const { error: rejected } = await elements.submit()
  const params = { payment_method_data: { billing_details: readBillingDetails(form) } }
  const { confirmationToken, error = rejected } = rejected ? {} : await stripe.createConfirmationToken({ elements, params })
  showPaymentError(error?.message ?? '')
  return confirmationToken?.id ?? null
}
