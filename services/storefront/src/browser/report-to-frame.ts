/** Reports to the site around the frame what happened. Only the origin that the seller stored can read it. */
export function reportToFrame(): void {
  const part = document.querySelector<HTMLElement>('[data-frame]')
  if (!part || parent === window) return
  const { frame: origin = '', events = '', successUrl: successURL, redirect } = part.dataset
  const report = (event: string) =>
    parent.postMessage({ type: 'POLAR_CHECKOUT', event, ...(event === 'success' && { successURL, redirect: redirect === 'true' }) }, origin)
  document.documentElement.classList.add('scripted')
  for (const event of events.split(' ').filter(Boolean)) report(event)
  part.addEventListener('click', () => report('close'))
  addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && !event.defaultPrevented) report('close')
  })
}

/** Loads the page again; in a frame without reporting twice that the order was placed. */
export function loadAgain(): void {
  const address = new URL(location.href)
  if (!document.querySelector('[data-frame]')) return location.reload()
  address.searchParams.set('reported', 'confirmed')
  location.replace(address)
}
