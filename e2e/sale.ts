import { eventually } from '@quittance/testing/eventually'
import type { EndpointSink } from '@quittance/testing/endpoint-sink'
import type { RunningSystem } from '@quittance/testing/system'

/** The buyer of all tests. */
export const buyer = {
  billing_name: 'Ada Lovelace',
  billing_address: { line1: '12 St James’s Square', city: 'London', postal_code: 'SW1Y 4JH', country: 'GB' },
}

export interface SubscribedEndpoint {
  id: string
  secret: string
}

/** Registers the sink for order events; its secret is generated. */
export async function subscribe({ api }: RunningSystem, sink: EndpointSink): Promise<SubscribedEndpoint> {
  const events = ['order.created', 'order.updated', 'order.paid']
  const { status, body } = await api('POST', '/v1/webhooks/endpoints', { url: sink.url, events })
  if (status !== 201) throw new Error(JSON.stringify(body))
  return body
}

/** Sells the demo product; returns the order's id. */
export async function sell({ api, demo }: RunningSystem, token = 'ctoken_ok'): Promise<string> {
  const checkout = await expectAccepted(() => api('POST', '/v1/checkouts/', { products: [demo.product_id], customer_id: demo.customer_id }))
  await expectAccepted(() => api('POST', `/v1/checkouts/client/${checkout.client_secret}/confirm`, { confirmation_token_id: token }), [403])
  const { items } = await eventually(async () => {
    const found = await expectAccepted(() => api('GET', `/v1/orders/?checkout_id=${checkout.id}`))
    if (found.items.length === 0) throw new Error('no order yet')
    return found
  })
  return items[0].id
}

export function waitUntilPaid({ api }: RunningSystem, id: string): Promise<void> {
  return eventually(async () => {
    const { body } = await api('GET', `/v1/orders/${id}`)
    if (body.status !== 'paid') throw new Error(`${id} is ${body.status}`)
  })
}

/** Repeats a call while a service is unavailable; `alsoAccepted` are error statuses that mean that an earlier attempt succeeded. */
export async function expectAccepted(call: () => ReturnType<RunningSystem['api']>, alsoAccepted: number[] = []) {
  return eventually(async () => {
    const { status, body } = await call()
    if (status >= 300 && !alsoAccepted.includes(status)) throw new Error(`${status} ${JSON.stringify(body)}`)
    return body
  })
}
