import { showLocalTimes } from './local-times.ts'

showLocalTimes()

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
