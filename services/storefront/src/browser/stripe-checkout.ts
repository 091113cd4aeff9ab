import { findProviderForm, improveCheckout, keepsProviderForm, postForm, showFieldErrors } from './improve-checkout.ts'
import { openStripe, type BillingDetails, type PaymentTerms, type Stripe, type StripeElements } from './stripe-types.ts'
import { swapParts } from './swap-parts.ts'
import { reportToFrame } from './report-to-frame.ts'

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
async function mountForm(): Promise<void> {
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

function showPaymentError(message: string): void {
  const error = document.querySelector('[data-payment-error]')
  if (error) error.textContent = message
}

/**
 * Returns the first visible field that the browser finds wrong, before card data leaves the page. Fields that depend on the country are
 * checked by the server only: they may belong to the country before.
 */
function findInvalidField(form: HTMLFormElement): HTMLInputElement | undefined {
  return [...form.elements].find(
    (field): field is HTMLInputElement =>
      field instanceof HTMLElement &&
      field.offsetParent !== null &&
      !field.closest('[data-live="address"]') &&
      !(field as HTMLInputElement).checkValidity?.(),
  )
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

/** Returns a token for what was typed; null if the form shows what is wrong with it. */
async function createToken(form: HTMLFormElement, { stripe, elements }: MountedForm): Promise<string | null> {
  const { error: rejected } = await elements.submit()
  const params = { payment_method_data: { billing_details: readBillingDetails(form) } }
  const { confirmationToken, error = rejected } = rejected ? {} : await stripe.createConfirmationToken({ elements, params })
  showPaymentError(error?.message ?? '')
  return confirmationToken?.id ?? null
}

/** Orders with a new token. The page stays while the order is sent, so that a rejected one leaves the form as it was. */
async function order(event: SubmitEvent, form: HTMLFormElement): Promise<void> {
  event.preventDefault()
  const button = event.submitter
  if (form.dataset['sent'] || !mounted) return
  const invalid = findInvalidField(form)
  if (invalid) return void invalid.reportValidity()
  form.dataset['sent'] = 'yes'
  button?.setAttribute('aria-disabled', 'true')
  const token = await createToken(form, mounted).catch(() => null)
  if (token) return send(form, { token, button })
  unlock(form, button)
}

function unlock(form: HTMLFormElement, button: HTMLElement | null): void {
  delete form.dataset['sent']
  button?.removeAttribute('aria-disabled')
}

function send(form: HTMLFormElement, { token, button }: { token: string; button: HTMLElement | null }): void {
  const data = new FormData(form)
  data.set('intent', 'order')
  data.set('via', 'script')
  data.set('confirmation_token_id', token)
  const request = new XMLHttpRequest()
  request.addEventListener('loadend', () => {
    const next = request.getResponseHeader('x-next-page')
    if (next) return location.assign(next)
    const page = request.responseXML
    // The order may have been placed, or the checkout has ended: the address of the form shows which.
    if (!page?.querySelector('#checkout')) return location.assign(form.action)
    unlock(form, button)
    showRejection(form, page)
  })
  postForm(form, data, request)
}

/** Shows what was wrong with an order that was not placed, and keeps the form of Stripe. */
function showRejection(form: HTMLFormElement, page: Document): void {
  document.title = page.title
  swapParts(page, keepsProviderForm)
  showFieldErrors(page, '.form')
  showPaymentError(page.querySelector('[data-payment-error]')?.textContent ?? '')
  const once = form.querySelector<HTMLInputElement>('[name=once]')
  if (once) once.value = page.querySelector<HTMLInputElement>('[name=once]')?.value ?? ''
  mounted?.elements.update(readTerms())
  document.getElementById('errors')?.focus()
}

const checkout = document.querySelector<HTMLFormElement>('#checkout')
if (checkout) {
  improveCheckout(checkout, {
    order: (event) => void order(event, checkout),
    updated: () => (mounted && findProviderForm() === mounted.place ? mounted.elements.update(readTerms()) : void mountForm()),
  })
  void mountForm()
}
reportToFrame()
