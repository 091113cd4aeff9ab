import { improveCheckout, keepsProviderForm, postForm, showFieldErrors } from './improve-checkout.ts'
import { createToken, mountForm, showPaymentError, updateForm } from './mount-form.ts'
import { swapParts } from './swap-parts.ts'
import { reportToFrame } from './report-to-frame.ts'

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

/** Orders with a new token. The page stays while the order is sent, so that a rejected one leaves the form as it was. */
async function order(event: SubmitEvent, form: HTMLFormElement): Promise<void> {
  event.preventDefault()
  const button = event.submitter
  if (form.dataset['sent']) return
  const invalid = findInvalidField(form)
  if (invalid) return void invalid.reportValidity()
  form.dataset['sent'] = 'yes'
  button?.setAttribute('aria-disabled', 'true')
  const token = await createToken(form)
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
    // The order may have been placed, or the checkout has ended: the address of the checkout shows which.
    if (!page?.querySelector('#checkout')) return location.assign(form.dataset['address'] ?? form.action)
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
  updateForm()
  document.getElementById('errors')?.focus()
}

const checkout = document.querySelector<HTMLFormElement>('#checkout')
if (checkout) {
  improveCheckout(checkout, {
    order: (event) => void order(event, checkout),
    updated: updateForm,
  })
  void mountForm()
}
reportToFrame()
