/** What a page in the frame reports. The names are those of the published protocol of embedded checkouts. */
interface FrameMessage {
  type: 'POLAR_CHECKOUT'
  event: 'loaded' | 'close' | 'confirmed' | 'success'
  successURL?: string
  redirect?: boolean
}

type Theme = 'light' | 'dark'

const script = document.currentScript instanceof HTMLScriptElement ? document.currentScript : null
/** Checkouts are served by the origin that this script came from; messages of others are ignored. */
const pagesOrigin = script ? new URL(script.src).origin : location.origin
/** Time within which a checkout loads; a frame that was rejected never reports anything. */
const silenceMs = 8_000

/** A checkout in a frame over the page of the seller. */
class EmbedCheckout {
  private readonly target = new EventTarget()
  private readonly dialog: HTMLDialogElement
  private readonly frame: HTMLIFrameElement
  private isLoaded = false
  private isClosable = true
  private readonly listen = (message: MessageEvent<FrameMessage>) => this.receive(message)

  private constructor(url: URL, theme: string | null) {
    const address = new URL(url)
    address.searchParams.set('embed', 'true')
    address.searchParams.set('embed_origin', location.origin)
    if (theme) address.searchParams.set('theme', theme)
    const frame = document.createElement('iframe')
    Object.assign(frame, {
      src: address.href,
      title: 'Checkout',
      allow: ['payment', 'publickey-credentials-get', 'clipboard-write'].map((feature) => `${feature} ${pagesOrigin}`).join('; '),
    })
    Object.assign(frame.style, { inlineSize: '100%', blockSize: '100%', border: '0', colorScheme: 'auto' })
    const dialog = document.createElement('dialog')
    // The page behind is inert, and the focus returns to where it was.
    Object.assign(dialog.style, { inset: '0', inlineSize: '100%', blockSize: '100%', maxInlineSize: 'none', maxBlockSize: 'none' })
    Object.assign(dialog.style, { margin: '0', padding: '0', border: '0', background: 'rgb(0 0 0 / .5)', overflow: 'hidden' })
    dialog.setAttribute('aria-label', 'Checkout')
    dialog.append(frame)
    dialog.addEventListener('cancel', (event) => {
      event.preventDefault()
      this.emit({ type: 'POLAR_CHECKOUT', event: 'close' })
    })
    this.frame = frame
    this.dialog = dialog
    addEventListener('message', this.listen)
    document.body.append(dialog)
    dialog.showModal()
    setTimeout(() => this.isLoaded || !dialog.isConnected || location.assign(url), silenceMs)
  }

  /** Opens a checkout. Resolves when it is shown. */
  static create(url: string, theme: Theme | null = null): Promise<EmbedCheckout> {
    const opened = new EmbedCheckout(new URL(url, location.href), theme)
    return new Promise((resolve) => opened.addEventListener('loaded', () => resolve(opened), { once: true }))
  }

  /** Opens the checkouts of all marked links and buttons in frames. */
  static init(): void {
    for (const element of document.querySelectorAll<HTMLElement>('[data-polar-checkout], [data-quittance-checkout]')) {
      element.removeEventListener('click', openMarked)
      element.addEventListener('click', openMarked)
    }
  }

  close(): void {
    removeEventListener('message', this.listen)
    this.dialog.close()
    this.dialog.remove()
  }

  addEventListener(type: FrameMessage['event'], listener: EventListener, options?: AddEventListenerOptions): void {
    this.target.addEventListener(type, listener, options)
  }

  removeEventListener(type: FrameMessage['event'], listener: EventListener): void {
    this.target.removeEventListener(type, listener)
  }

  private receive({ data, origin: sender, source }: MessageEvent<FrameMessage>): void {
    if (sender === pagesOrigin && source === this.frame.contentWindow && data?.type === 'POLAR_CHECKOUT') this.emit(data)
  }

  /** Acts on a message unless a listener of the seller prevents it. */
  private emit(message: FrameMessage): void {
    const { event, redirect, successURL } = message
    if (event === 'loaded') this.isLoaded = true
    if (!this.target.dispatchEvent(new CustomEvent(event, { detail: message, cancelable: true }))) return
    // A form after an order that was declined later loads again.
    if (event === 'loaded' || event === 'success') this.isClosable = true
    if (event === 'loaded') this.frame.focus()
    if (event === 'confirmed') this.isClosable = false
    if (event === 'close' && this.isClosable) this.close()
    if (event === 'success' && redirect && successURL && /^https?:/.test(successURL)) location.assign(successURL)
  }
}

function openMarked(event: Event): void {
  const { ctrlKey, metaKey, shiftKey } = event as MouseEvent
  // A new tab or window shows the whole page.
  if (ctrlKey || metaKey || shiftKey) return
  const element = event.currentTarget as HTMLElement
  const { polarCheckout, quittanceCheckout, polarCheckoutTheme, quittanceCheckoutTheme } = element.dataset
  event.preventDefault()
  const theme = (quittanceCheckoutTheme ?? polarCheckoutTheme ?? null) as Theme | null
  void EmbedCheckout.create(element.getAttribute('href') || quittanceCheckout || polarCheckout || '', theme)
}

Object.assign(globalThis, { Polar: { EmbedCheckout }, Quittance: { EmbedCheckout } })

if (script?.hasAttribute('data-auto-init')) {
  if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', () => EmbedCheckout.init())
  else EmbedCheckout.init()
}
