import { openAction } from './open-action.ts'
import { loadAgain, reportToFrame } from './report-to-frame.ts'

interface Poll {
  path: string
  startedAt: number
  asked: number
}

const firstWaitsMs = [700, 1_000, 1_500, 2_000, 3_000]

/** Asks whether the payment has ended, more rarely with time, and gives up after ten minutes. */
function ask(page: HTMLElement, { path, startedAt, asked }: Poll): void {
  const age = Date.now() - startedAt
  if (age > 600_000) return showEnd(page)
  if (age > 15_000) page.querySelector('[data-long]')?.removeAttribute('hidden')
  const waitMs = firstWaitsMs[asked] ?? (age > 120_000 ? 15_000 : 5_000)
  setTimeout(() => {
    const request = new XMLHttpRequest()
    request.open('GET', path)
    request.responseType = 'json'
    request.addEventListener('loadend', () => {
      const { status, needs_action: needsAction } = (request.response ?? {}) as { status?: string; needs_action?: boolean }
      if (status && (status !== 'confirmed' || (needsAction ?? false) !== page.hasAttribute('data-needs-action'))) return loadAgain()
      ask(page, { path, startedAt, asked: asked + 1 })
    })
    request.send()
  }, waitMs)
}

/** Nothing is asked any more: a mail follows. */
function showEnd(page: HTMLElement): void {
  page.querySelector('[data-long]')?.setAttribute('hidden', '')
  page.querySelector('[data-late]')?.removeAttribute('hidden')
}

/** Asks on a page that waits for the end of a payment. */
function pollPayment(): void {
  document.documentElement.classList.add('scripted')
  const page = document.querySelector<HTMLElement>('[data-poll]')
  if (page) ask(page, { path: page.dataset['poll'] ?? '', startedAt: Date.now(), asked: 0 })
}

pollPayment()
reportToFrame()

const waiting = document.querySelector<HTMLElement>('[data-secret]')
// What the step led to is read by asking, as on every confirmation.
if (waiting) void openAction(waiting, () => {})
