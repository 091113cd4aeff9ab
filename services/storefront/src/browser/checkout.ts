import { createPause, createReplyOrder } from './late-replies.ts'
import { swapParts } from './swap-parts.ts'

/** Fields that stay here until the order: an abandoned checkout names no buyer. */
const privateFields = ['customer_email', 'customer_name', 'customer_billing_name']

/** Improves the checkout form: totals without a reload, and one order for two presses. Without this script every part works too. */
function improve(form: HTMLFormElement): void {
  document.documentElement.classList.add('scripted')
  const order = createReplyOrder()
  const announcement = document.querySelector<HTMLElement>('#announcement')

  const update = createPause(() => send('update', { keepsDiscount: true }), { afterMs: 400, timers: globalThis })

  function send(intent: string, { keepsDiscount }: { keepsDiscount: boolean }): void {
    // The order is on its way: a reply that comes now would interrupt it.
    if (form.dataset['sent']) return
    const data = new FormData(form)
    for (const name of privateFields) data.delete(name)
    if (keepsDiscount) data.delete('discount_code')
    data.set('intent', intent)
    const number = order.begin()
    const request = new XMLHttpRequest()
    request.open('POST', form.action)
    request.responseType = 'document'
    request.setRequestHeader('content-type', 'application/x-www-form-urlencoded')
    request.addEventListener('load', () => {
      const next = request.responseXML
      if (!next || !order.isLatest(number) || form.dataset['sent']) return
      // Another kind of page: the checkout was ordered or has expired in the time between.
      if (!next.querySelector('#checkout')) return location.reload()
      showReply(next, { keepsDiscount })
    })
    request.send(new URLSearchParams([...data].flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : []))).toString())
  }

  function showReply(next: Document, { keepsDiscount }: { keepsDiscount: boolean }): void {
    const before = readTotal(document)
    // A summary of errors stays until the form is sent again; a code that is being typed stays too.
    swapParts(
      next,
      (name, current, replacement) =>
        name === 'messages' || (name === 'discount' && keepsDiscount && current.tagName === replacement.tagName),
    )
    showFieldErrors(next)
    const total = readTotal(document)
    if (total && total !== before && announcement) {
      announcement.textContent = (announcement.dataset['total'] ?? '').replace('{total}', total)
    }
  }

  form.addEventListener('change', (event) => {
    if (event.target instanceof Element && event.target.closest('[data-live-field]')) update()
  })
  form.addEventListener('submit', (event) => {
    const intent = event.submitter instanceof HTMLButtonElement ? event.submitter.value : 'update'
    if (intent === 'order') return rejectSecondPress(event, form)
    if (intent !== 'update' && intent !== 'remove-discount') return
    event.preventDefault()
    send(intent, { keepsDiscount: false })
  })
  // A page from the cache of the browser would send a used form.
  addEventListener('pageshow', (event) => event.persisted && location.reload())
  // The country is preselected by the language of the browser: the total does not include its tax yet.
  if (form.hasAttribute('data-update')) update()
}

/** A press while the first is on its way does nothing; the server would place one order for both anyway. */
function rejectSecondPress(event: SubmitEvent, form: HTMLFormElement): void {
  if (form.dataset['sent']) return event.preventDefault()
  form.dataset['sent'] = 'yes'
  const button = event.submitter
  // After the browser has read the form: a disabled button would not be sent.
  setTimeout(() => button?.setAttribute('aria-disabled', 'true'))
}

function readTotal(page: Document): string | null {
  return page.querySelector('[data-live="summary-total"]')?.textContent ?? null
}

/** Shows the errors of fields that change the price, where they belong. */
function showFieldErrors(next: Document): void {
  for (const current of document.querySelectorAll<HTMLElement>('[data-live-field] .error')) {
    if (!next.getElementById(current.id)) removeError(current)
  }
  for (const error of next.querySelectorAll<HTMLElement>('[data-live-field] .error')) {
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

const form = document.querySelector<HTMLFormElement>('#checkout')
if (form) improve(form)
