interface Poll {
  path: string
  startedAt: number
  asked: number
}

const firstWaitsMs = [700, 1_000, 1_500, 2_000, 3_000]

/** Asks whether the payment has ended, more rarely with time, and gives up after ten minutes. */
function ask(page: HTMLElement, { path, startedAt, asked }: Poll): void {
  const age = Date.now() - startedAt
  if (age > 600_000) return
  if (age > 15_000) page.querySelector('[data-long]')?.removeAttribute('hidden')
  const waitMs = firstWaitsMs[asked] ?? (age > 120_000 ? 15_000 : 5_000)
  setTimeout(() => {
    const request = new XMLHttpRequest()
    request.open('GET', path)
    request.responseType = 'json'
    request.addEventListener('loadend', () => {
      const { status } = (request.response ?? {}) as { status?: string }
      if (status && status !== 'confirmed') return location.reload()
      ask(page, { path, startedAt, asked: asked + 1 })
    })
    request.send()
  }, waitMs)
}

const page = document.querySelector<HTMLElement>('[data-poll]')
if (page) ask(page, { path: page.dataset['poll'] ?? '', startedAt: Date.now(), asked: 0 })
