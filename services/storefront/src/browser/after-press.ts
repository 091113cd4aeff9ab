/**
 * Returns a function that runs a change of the page at once, or after the button that is held down was released: a button that moves or is
 * replaced in between gets no click. Of several changes that wait, the last runs.
 */
export function createPressGuard(page: Document): (change: () => void) => void {
  let isPressed = false
  let waiting: (() => void) | undefined

  function release(): void {
    isPressed = false
    // The click follows the release in the same task.
    setTimeout(() => {
      if (isPressed) return
      const change = waiting
      waiting = undefined
      change?.()
    })
  }

  page.addEventListener('pointerdown', ({ target }) => (isPressed = target instanceof Element && target.closest('button') !== null))
  page.addEventListener('pointerup', release)
  page.addEventListener('pointercancel', release)
  return (change) => {
    if (isPressed) waiting = change
    else change()
  }
}
