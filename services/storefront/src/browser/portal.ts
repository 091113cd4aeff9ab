import { swapParts } from './swap-parts.ts'
import { reportToFrame } from './report-to-frame.ts'

showLocalTimes()
refresh(0)
reportToFrame()

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
    const key = button.closest('[data-key]')?.querySelector('code')
    navigator.clipboard.writeText(key?.textContent ?? '').then(
      () => (button.textContent = button.dataset['copy'] ?? ''),
      // Not permitted, as in the frame of an older script: the reader copies what is selected.
      () => key && getSelection()?.selectAllChildren(key),
    )
  })
}

/** Shows times in the zone of the reader; the server renders them in UTC. */
function showLocalTimes(): void {
  const { lang } = document.documentElement
  const show = (selector: string, options: Intl.DateTimeFormatOptions) => {
    const format = new Intl.DateTimeFormat(lang, { ...options, numberingSystem: 'latn' })
    for (const element of document.querySelectorAll<HTMLTimeElement>(selector)) {
      const text = format.format(new Date(element.dateTime))
      // The title of the page names the date of its heading.
      if (element.closest('h1')) document.title = document.title.replace(element.textContent, text)
      element.textContent = text
    }
  }
  show('time[data-moment]', { dateStyle: 'long', timeStyle: 'short' })
  show('time[data-date]', { dateStyle: 'long' })
}
