/**
 * Stand-in for Stripe's script. Like the original it defines `Stripe`, shows the form and the step of the bank in frames of a separate origin,
 * and creates confirmation tokens that are bound to amount and currency.
 */
export const script = `(() => {
  const origin = new URL(document.currentScript.src).origin
  const createFrame = (path, title) => {
    const frame = document.createElement('iframe')
    frame.src = origin + path
    frame.title = title
    return frame
  }
  const ask = (frame, message) => new Promise((resolve) => {
    const channel = new MessageChannel()
    channel.port1.onmessage = ({ data }) => resolve(data)
    frame.contentWindow.postMessage(message, origin, [channel.port2])
  })
  globalThis.Stripe = (key) => ({
    elements(options) {
      let terms = options
      let frame = null
      return {
        create: () => {
          const handlers = {}
          return {
            on: (event, handle) => void (handlers[event] = handle),
            mount(place) {
              frame = createFrame('/browser/form', 'Secure payment input frame')
              frame.style.height = '120px'
              frame.addEventListener('load', () => handlers.ready?.())
              place.append(frame)
            },
          }
        },
        update: (change) => void (terms = { ...terms, ...change }),
        submit: () => ask(frame, { ask: 'submit' }),
        createToken: () => ask(frame, { ask: 'token', key, terms }),
      }
    },
    createConfirmationToken: ({ elements }) => elements.createToken(),
    async handleNextAction({ clientSecret }) {
      const { status } = await (await fetch(origin + '/browser/intent?client_secret=' + clientSecret)).json()
      if (status !== 'requires_action') return {}
      const frame = createFrame('/browser/action', 'Bank authentication')
      frame.style.cssText = 'position: fixed; inset: 0; width: 100%; height: 100%; background: white'
      document.body.append(frame)
      await new Promise((resolve) => frame.addEventListener('load', resolve))
      const result = await ask(frame, { clientSecret })
      frame.remove()
      return result
    },
  })
})()`

const page = (title: string, body: string, code: string) =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title></head><body>${body}<script>${code}</script></body></html>`

/** The form in its frame: the number of a card. */
export const formPage = page(
  'Card',
  '<main><h1 style="font-size: 16px">Card</h1><label>Card number <input name="number" autocomplete="cc-number" inputmode="numeric"></label></main>',
  `addEventListener('message', async ({ data, ports: [port] }) => {
    const number = document.querySelector('[name=number]').value
    if (data.ask === 'submit') return port.postMessage(number ? {} : { error: { message: 'Your card number is incomplete.' } })
    const body = JSON.stringify({ key: data.key, number, terms: data.terms })
    port.postMessage(await (await fetch('/browser/tokens', { method: 'POST', body })).json())
  })`,
)

/** The step of the bank. */
export const actionPage = page(
  'Bank',
  '<main><h1>Your bank</h1><button value="succeeds">Complete</button> <button value="fails">Fail</button></main>',
  `addEventListener('message', ({ data, ports: [port] }) => {
    for (const button of document.querySelectorAll('button')) button.addEventListener('click', async () => {
      const body = JSON.stringify({ clientSecret: data.clientSecret, outcome: button.value })
      port.postMessage(await (await fetch('/browser/actions', { method: 'POST', body })).json())
    })
    document.body.dataset.ready = 'yes'
  })`,
)
