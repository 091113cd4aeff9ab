import { openStripe } from './stripe-types.ts'

/** Opens the step of the buyer's bank, and again on request. `ended` is called after each, with whether it was completed. */
export async function openAction(page: HTMLElement, ended: (isCompleted: boolean) => void): Promise<void> {
  const { key = '', secret = '' } = page.dataset
  const error = page.querySelector<HTMLElement>('[data-payment-error]')
  const button = page.querySelector<HTMLButtonElement>('[data-open-action]')
  const show = (text: string | undefined) => error && (error.textContent = text ?? '')
  const stripe = await openStripe(key)
  if (!stripe) return void show(error?.dataset['notLoaded'])
  let isOpen = false
  const open = async () => {
    if (isOpen) return
    isOpen = true
    show('')
    const { error: failure } = await stripe.handleNextAction({ clientSecret: secret }).catch(() => ({ error: {} }))
    isOpen = false
    if (failure) show(error?.dataset['failed'])
    ended(!failure)
  }
  button?.addEventListener('click', () => void open())
  await open()
}
