import { fieldError } from '@quittance/pages/fields'
import { html, type Html } from '@quittance/pages/html'
import type { AppOptions } from '../page/page-context.ts'
import type { ProviderScript } from '../page/stripe-sources.ts'
import type { Payable, PaymentForm } from './payment-form.ts'
import { renderStripeForm } from './stripe-form.ts'
import type { Words } from '../words/all-words.ts'
import { transferChoice, transferToken } from './transfer-choice.ts'

/** One way to pay on the page. Each method sends its token in `confirmation_token_id`. */
interface PaymentMethod {
  /** Value of `payment_processor_metadata.provider` of what it can pay. */
  provider: string
  /** Whether the form of the method is a script of its provider. */
  isScripted: boolean
  render(form: PaymentForm): Html
}

/** What test cards do with a payment: the value of each is its token. */
const paymentOutcomes = ({ checkout }: Words) =>
  [
    ['ctoken_ok', checkout.testOk],
    ['ctoken_slow', checkout.testSlow],
    ['ctoken_insufficient_funds', checkout.testDeclined],
    ['ctoken_declined_later', checkout.testDeclinedLater],
    ['ctoken_action', checkout.testAction],
    ['ctoken_pending', checkout.testPending],
  ] as const

/** The same where they are stored for later payments. */
const setupOutcomes = ({ checkout, method }: Words) =>
  [
    ['ctoken_ok', method.testOk],
    ['ctoken_insufficient_funds', checkout.testDeclined],
    ['ctoken_expired', method.testExpired],
    ['ctoken_action', checkout.testAction],
    ['ctoken_pending', checkout.testPending],
  ] as const

/** The processor without money: the token decides what happens, so each outcome is a choice. */
const sandbox: PaymentMethod = {
  provider: 'sandbox',
  isScripted: false,
  render({ payable, context: { words }, token, error }) {
    const { checkout } = words
    const outcomes = payable.is_payment_required ? paymentOutcomes(words) : setupOutcomes(words)
    const chosen = [...outcomes.map(([value]) => value), transferToken].find((value) => value === token) ?? 'ctoken_ok'
    const options = outcomes.map(
      ([value, outcome], index) =>
        html`<label class="choice">
          <input
            type="radio"
            name="confirmation_token_id"
            value="${value}"
            ${index === 0 && html`id="field-confirmation_token_id"`}
            ${value === chosen && html`checked`}
            ${describedBy(error)}
          />
          <span>${checkout.testCard}: ${outcome}</span>
        </label>`,
    )
    return html`<fieldset>
      <legend class="visually-hidden">${checkout.payment}</legend>
      <p class="test">${checkout.testBand}</p>
      ${options} ${payable.payment_processor_metadata['bank_transfer'] && transferChoice(words, chosen === transferToken)}
      ${fieldError('confirmation_token_id', error)}
    </fieldset>`
  },
}

function describedBy(error: string | null): Html | null {
  return error ? html`aria-invalid="true" aria-describedby="field-confirmation_token_id-error"` : null
}

/** The buyer sends the money: the seller has an account at a bank and no other. */
const transfer: PaymentMethod = {
  provider: 'bank_transfer',
  isScripted: false,
  render: ({ context: { words }, error }) =>
    html`<fieldset>
      <legend class="visually-hidden">${words.checkout.payment}</legend>
      ${transferChoice(words, true, html`id="field-confirmation_token_id" ${describedBy(error)}`)}
      ${fieldError('confirmation_token_id', error)}
    </fieldset>`,
}

/** The form of Stripe: card data is typed in a frame of Stripe, and its script creates the token. */
const stripe: PaymentMethod = {
  provider: 'stripe',
  isScripted: true,
  render: renderStripeForm,
}

const methods: readonly PaymentMethod[] = [sandbox, stripe, transfer]

/** Returns the method that can pay; null if the seller takes no payments on a page. */
export function findPaymentMethod({
  payment_processor_metadata: metadata,
}: Pick<Payable, 'payment_processor_metadata'>): PaymentMethod | null {
  const { provider, publishable_key: key, bank_transfer: hasBank } = metadata
  const found = methods.find((method) => method.provider === provider && (!method.isScripted || key))
  return found ?? (hasBank ? transfer : null)
}

/** Returns the script of the provider that a page needs to be paid; null without one. */
export function findProviderScript(
  payable: Pick<Payable, 'payment_processor_metadata'>,
  { stripe: script }: Pick<AppOptions, 'stripe'>,
): ProviderScript | null {
  return findPaymentMethod(payable)?.isScripted ? script : null
}

/** Whether the step of the buyer's bank is one of the sandbox, which a form completes. */
export function isSandbox({ payment_processor_metadata: metadata }: Pick<Payable, 'payment_processor_metadata'>): boolean {
  return metadata['provider'] === sandbox.provider
}
