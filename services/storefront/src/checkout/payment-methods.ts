import type { CheckoutPublic } from '@quittance/contracts/checkout'
import { html, type Html } from '@quittance/pages/html'
import type { PageContext } from '../page/page-context.ts'

/** What a method needs to show its part of the form. */
export interface PaymentForm {
  context: PageContext
  /** Token that was sent before. */
  token: string
  error: string | null
}

/** One way to pay on the page. Each method sends its token in `confirmation_token_id`. */
interface PaymentMethod {
  /** Value of `payment_processor_metadata.provider` of checkouts that it can pay. */
  provider: string
  render(form: PaymentForm): Html
}

/** The processor without money: the token decides what happens, so each outcome is a choice. */
const sandbox: PaymentMethod = {
  provider: 'sandbox',
  render({ context: { words }, token, error }) {
    const { checkout } = words
    const outcomes = [
      ['ctoken_ok', checkout.testOk],
      ['ctoken_slow', checkout.testSlow],
      ['ctoken_declined', checkout.testDeclined],
      ['ctoken_declined_later', checkout.testDeclinedLater],
      ['ctoken_pending', checkout.testPending],
    ] as const
    const chosen = outcomes.some(([value]) => value === token) ? token : 'ctoken_ok'
    const options = outcomes.map(
      ([value, outcome], index) =>
        html`<label class="choice">
          <input
            type="radio"
            name="confirmation_token_id"
            value="${value}"
            ${index === 0 && html`id="field-confirmation_token_id"`}
            ${value === chosen && html`checked`}
            ${error && html`aria-invalid="true" aria-describedby="field-confirmation_token_id-error"`}
          />
          <span>${checkout.testCard}: ${outcome}</span>
        </label>`,
    )
    return html`<fieldset>
      <legend class="visually-hidden">${checkout.payment}</legend>
      <p class="test">${checkout.testBand}</p>
      ${options} ${error && html`<span class="error" id="field-confirmation_token_id-error">${error}</span>`}
    </fieldset>`
  },
}

const methods: readonly PaymentMethod[] = [sandbox]

/** Returns the method that can pay a checkout; null if the seller takes no payments on a page. */
export function findPaymentMethod({ payment_processor_metadata: { provider } }: CheckoutPublic): PaymentMethod | null {
  return methods.find((method) => method.provider === provider) ?? null
}
