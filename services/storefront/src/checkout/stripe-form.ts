import { html, type Html } from '@quittance/pages/html'
import type { Words } from '../words/all-words.ts'
import type { Payable, PaymentForm } from './payment-form.ts'
import { transferChoice, transferToken } from './transfer-choice.ts'

/** Renders the place of Stripe's form. What depends on the total is a live part beside it, so that a new total does not remove the form. */
export function renderStripeForm(form: PaymentForm): Html {
  const { payable, context, error } = form
  const { payment } = context.words
  const { publishable_key: key, setup_future_usage: usage } = payable.payment_processor_metadata
  return html`${meansChoice(form)}
    <div
      class="provider-form"
      id="field-confirmation_token_id"
      tabindex="-1"
      data-key="${key}"
      data-locale="${context.language === 'zh-Hant' ? 'zh-TW' : context.language}"
      data-seller="${payable.organization.name}"
      ${context.theme && html`data-theme="${context.theme}"`}
    >
      <p class="quiet with-scripts" data-loading role="status">${payment.loading}</p>
      <p class="notice bad" data-not-loaded hidden>${payment.notLoaded}</p>
      <div data-mount></div>
      <p class="error" role="alert" data-payment-error id="field-confirmation_token_id-error">${error}</p>
    </div>
    <p class="notice without-scripts">${payment.needsScripts}</p>
    <span
      hidden
      data-live="provider-total"
      data-amount="${toStripeAmount(payable)}"
      data-currency="${payable.currency}"
      data-mode="${payable.is_payment_required ? 'payment' : 'setup'}"
      data-usage="${usage ?? ''}"
    ></span>`
}

/** The form of Stripe, or a transfer, which works without scripts. The script of the page replaces the empty value by a token. */
function meansChoice({ payable: { payment_processor_metadata: metadata }, context: { words }, token }: PaymentForm): Html {
  if (!metadata['bank_transfer']) return html`<input type="hidden" name="confirmation_token_id" value="" />`
  const isTransfer = token === transferToken
  return html`<fieldset>
    <legend class="visually-hidden">${words.checkout.payment}</legend>
    <label class="choice">
      <input type="radio" name="confirmation_token_id" value="" ${!isTransfer && html`checked`} />
      <span>${words.payment.byProvider}</span>
    </label>
    ${transferChoice(words, isTransfer)}
  </fieldset>`
}

/** Renders the way to the step of the buyer's bank, which the script of the provider opens. */
export function renderBankStep({ payment }: Words): Html {
  return html`<p class="notice without-scripts">${payment.needsScripts}</p>
    <p class="error" role="alert" data-payment-error data-failed="${payment.actionFailed}" data-not-loaded="${payment.notLoaded}"></p>
    <p class="actions with-scripts"><button class="button primary" type="button" data-open-action>${payment.openAction}</button></p>`
}

/** Factors between the minor units of ISO 4217 and the units of Stripe, where they differ (https://docs.stripe.com/currencies). */
const factors: Readonly<Record<string, number>> = { isk: 100, ugx: 100, mga: 1 / 100 }

/** Returns the total in the units of Stripe. Its form and its payment must name the same amount. */
export function toStripeAmount({ total_amount: total, currency }: Pick<Payable, 'total_amount' | 'currency'>): number {
  return Math.round(total * (factors[currency] ?? 1))
}
