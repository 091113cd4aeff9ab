/** The part of Stripe.js that the pages use (https://docs.stripe.com/js). */
export interface Stripe {
  elements(options: ElementsOptions): StripeElements
  createConfirmationToken(options: {
    elements: StripeElements
    params: { payment_method_data: { billing_details: BillingDetails } }
  }): Promise<{ confirmationToken?: { id: string }; error?: StripeError }>
  handleNextAction(options: { clientSecret: string }): Promise<{ error?: StripeError }>
}

/** What the form is for. It must equal the payment, or Stripe rejects the token. */
export interface PaymentTerms {
  mode: 'payment' | 'setup'
  currency: string
  /** In the units of Stripe; only if something is paid now. */
  amount?: number
  setupFutureUsage?: 'off_session'
}

interface ElementsOptions extends PaymentTerms {
  locale: string
  appearance: { theme: 'stripe' | 'night'; variables: Record<string, string> }
}

export interface StripeElements {
  create(type: 'payment', options: { business: { name: string } }): PaymentElement
  update(terms: PaymentTerms): void
  submit(): Promise<{ error?: StripeError }>
}

interface PaymentElement {
  mount(place: HTMLElement): void
  on(event: 'ready' | 'loaderror', handle: () => void): void
}

interface StripeError {
  /** In the language of the form. */
  message?: string
}

export interface BillingDetails {
  name: string
  email: string
  address: { country?: string; postal_code?: string; state?: string }
}

/** Waits for the script of Stripe and opens it; null if it could not be loaded. */
export function openStripe(key: string): Promise<Stripe | null> {
  const find = () => (globalThis as { Stripe?: (key: string) => Stripe }).Stripe?.(key) ?? null
  const script = document.querySelector('script[data-provider]')
  const loaded = find()
  if (loaded || !script) return Promise.resolve(loaded)
  return new Promise((resolve) => {
    // It may have failed before this script ran; then neither event comes.
    const overdue = setTimeout(() => resolve(find()), 15_000)
    for (const event of ['load', 'error']) {
      script.addEventListener(event, () => {
        clearTimeout(overdue)
        resolve(find())
      })
    }
  })
}
