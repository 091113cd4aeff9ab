import { findProviderForm, isSending } from './improve-checkout.ts'
import { createToken, mountForm } from './mount-form.ts'
import { openAction } from './open-action.ts'

document.documentElement.classList.add('scripted')

/** Sends the form once, with a new token where the form of the provider was filled in. */
async function send(event: SubmitEvent, form: HTMLFormElement): Promise<void> {
  if (isSending(form)) return event.preventDefault()
  form.dataset['sent'] = String(Date.now())
  const button = event.submitter
  button?.setAttribute('aria-disabled', 'true')
  if (!findProviderForm() || new FormData(form).get('payment_method_id')) return
  event.preventDefault()
  form.dataset['sent'] = 'yes'
  const token = await createToken(form)
  const field = form.querySelector<HTMLInputElement>('[name=confirmation_token_id]')
  if (token && field) {
    field.value = token
    form.dataset['sent'] = String(Date.now())
    return form.submit()
  }
  delete form.dataset['sent']
  button?.removeAttribute('aria-disabled')
}

const form = document.querySelector<HTMLFormElement>('#pay, #add')
if (form) {
  form.addEventListener('submit', (event) => void send(event, form))
  // A page from the cache of the browser would send a used form.
  addEventListener('pageshow', (event) => event.persisted && location.reload())
  void mountForm()
}

const waiting = document.querySelector<HTMLElement>('[data-secret]')
if (waiting)
  void openAction(waiting, (isCompleted) =>
    location.assign((isCompleted ? waiting.dataset['completed'] : waiting.dataset['canceled']) ?? ''),
  )
