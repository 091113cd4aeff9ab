import { swapParts } from './swap-parts.ts'
import { showLocalTimes } from './local-times.ts'

showLocalTimes()
refresh(0)

/** Loads the part of an invoice in progress again until the document is there. */
function refresh(asked: number): void {
  if (!document.querySelector('[data-refresh]') || asked > 60) return
  document.documentElement.classList.add('scripted')
  setTimeout(
    () => {
      const request = new XMLHttpRequest()
      request.open('GET', location.href)
      request.responseType = 'document'
      request.addEventListener('loadend', () => {
        if (request.responseXML) swapParts(request.responseXML, () => false)
        refresh(asked + 1)
      })
      request.send()
    },
    Math.min(5_000, 700 + asked * 300),
  )
}

for (const button of document.querySelectorAll<HTMLButtonElement>('[data-copy]')) {
  button.hidden = false
  button.addEventListener('click', () => {
    const key = button.closest('[data-key]')?.querySelector('code')?.textContent ?? ''
    navigator.clipboard.writeText(key).then(
      () => (button.textContent = button.dataset['copy'] ?? ''),
      () => {},
    )
  })
}
