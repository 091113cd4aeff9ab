import { createPressGuard } from './after-press.ts'
import { createPause, createReplyOrder } from './late-replies.ts'
import { swapParts } from './swap-parts.ts'

/** Fields that stay here until the order: an abandoned checkout names no buyer. */
const privateFields = ['customer_email', 'customer_name', 'customer_billing_name']

/** What a payment form of a provider adds. */
export interface ProviderPart {
  /** Takes the order over: the form has to be sent with a token. */
  order(event: SubmitEvent): void
  /** Called after parts of the page were replaced. */
  updated(): void
}

/** Improves the checkout form: totals without a reload, and one order for two presses. Without this script every part works too. */
export function improveCheckout(form: HTMLFormElement, provider?: ProviderPart): void {
  document.documentElement.classList.add('scripted')
  const order = createReplyOrder()
  const afterPress = createPressGuard(document)

  const update = createPause(() => send('update', { keepsDiscount: true }), { afterMs: 400, timers: globalThis })

  function send(intent: string, { keepsDiscount }: { keepsDiscount: boolean }): void {
    // The order is on its way: a reply that comes now would interrupt it.
    if (isSending(form)) return
    const data = new FormData(form)
    for (const name of privateFields) data.delete(name)
    if (keepsDiscount) data.delete('discount_code')
    data.set('intent', intent)
    const number = order.begin()
    const request = new XMLHttpRequest()
    request.addEventListener('load', () =>
      afterPress(() => {
        if (request.responseXML && order.isLatest(number) && !isSending(form)) showReply(request.responseXML, { keepsDiscount })
      }),
    )
    postForm(form, data, request)
  }

  function showReply(next: Document, { keepsDiscount }: { keepsDiscount: boolean }): void {
    // Another kind of page: the checkout was ordered or has expired in the time between.
    if (!next.querySelector('#checkout')) return location.reload()
    const before = readTotal(document)
    // A summary of errors stays until the form is sent again; a code that is being typed stays too.
    swapParts(
      next,
      (name, current, replacement) =>
        name === 'messages' ||
        (name === 'discount' && keepsDiscount && current.tagName === replacement.tagName) ||
        keepsProviderForm(name, current, replacement),
    )
    showFieldErrors(next, '[data-live-field]')
    announceTotal(before)
    provider?.updated()
  }

  form.addEventListener('change', (event) => {
    if (event.target instanceof Element && event.target.closest('[data-live-field]')) update()
  })
  form.addEventListener('submit', (event) => {
    const intent = event.submitter instanceof HTMLButtonElement ? event.submitter.value : 'update'
    if (intent === 'order') return provider && needsProvider(form) ? provider.order(event) : rejectSecondPress(event, form)
    if (intent !== 'update' && intent !== 'remove-discount') return
    event.preventDefault()
    send(intent, { keepsDiscount: false })
  })
  // A page from the cache of the browser would send a used form.
  addEventListener('pageshow', (event) => event.persisted && location.reload())
  // The country is preselected by the language of the browser: the total does not include its tax yet.
  if (form.hasAttribute('data-update')) update()
}

/** Whether the chosen way to pay is the form of the provider: the others have a value already. */
function needsProvider(form: HTMLFormElement): boolean {
  return findProviderForm() !== null && !new FormData(form).get('confirmation_token_id')
}

/** Time within which the server replies. */
const maxSendingMs = 10_000

/** Whether the form is on its way. A browser that was stopped reports nothing: after the time of a reply the form can be sent again. */
export function isSending({ dataset: { sent } }: HTMLFormElement): boolean {
  return sent === 'yes' || Date.now() - Number(sent ?? 0) < maxSendingMs
}

/** A press while the first is on its way does nothing; the server would place one order for both anyway. */
function rejectSecondPress(event: SubmitEvent, form: HTMLFormElement): void {
  if (isSending(form)) return event.preventDefault()
  form.dataset['sent'] = String(Date.now())
  const button = event.submitter
  // After the browser has read the form: a disabled button would not be sent.
  setTimeout(() => button?.setAttribute('aria-disabled', 'true'))
}

function readTotal(page: Document): string | null {
  return page.querySelector('[data-live="summary-total"]')?.textContent ?? null
}

/** Announces the total to screen readers, if it has changed. */
function announceTotal(before: string | null): void {
  const total = readTotal(document)
  const announcement = document.querySelector<HTMLElement>('#announcement')
  if (total && total !== before && announcement) {
    announcement.textContent = (announcement.dataset['total'] ?? '').replace('{total}', total)
  }
}

/** The place of a provider's form; null if the checkout needs none. */
export function findProviderForm(): HTMLElement | null {
  return document.querySelector('.provider-form')
}

/** A form in a frame loses what was typed when it is replaced. */
export function keepsProviderForm(name: string, current: Element, replacement: Element): boolean {
  return name === 'payment' && [current, replacement].every((part) => part.querySelector('.provider-form'))
}

/** Sends the form as a browser does. */
export function postForm(form: HTMLFormElement, data: FormData, request: XMLHttpRequest): void {
  request.open('POST', form.action)
  request.responseType = 'document'
  request.setRequestHeader('content-type', 'application/x-www-form-urlencoded')
  request.send(new URLSearchParams([...data].flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : []))).toString())
}

/** Shows the errors of the fields in these places, where they belong. */
export function showFieldErrors(next: Document, places: string): void {
  for (const current of document.querySelectorAll<HTMLElement>(`${places} .error`)) {
    if (!next.getElementById(current.id)) removeError(current)
  }
  for (const error of next.querySelectorAll<HTMLElement>(`${places} .error`)) {
    const field = next.querySelector(`[aria-describedby~="${error.id}"]`)
    const own = field?.id ? document.getElementById(field.id) : null
    if (!own || document.getElementById(error.id)) continue
    own.setAttribute('aria-invalid', 'true')
    own.setAttribute('aria-describedby', field?.getAttribute('aria-describedby') ?? error.id)
    own.parentElement?.append(document.importNode(error, true))
  }
}

function removeError(error: HTMLElement): void {
  const field = document.querySelector(`[aria-describedby~="${error.id}"]`)
  field?.removeAttribute('aria-invalid')
  error.remove()
}
