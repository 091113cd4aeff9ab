import { createHmac } from 'node:crypto'
import type Stripe from 'stripe'

export interface WebhookEndpoint {
  account: string
  url: string
  /** Signs with each of them, as during a rotation. */
  secrets: string[]
}

/** How events are delivered until the next change. */
export interface DeliveryOptions {
  /** Never sent; `redeliver` sends them. */
  isDropped?: boolean
  /** Kept until `release`. */
  isHeld?: boolean
  copies?: number
  /** Age of the signature. */
  ageSeconds?: number
  /** Signs with these instead of the secrets of the endpoint. */
  secrets?: string[]
}

interface Delivery {
  endpoint: WebhookEndpoint
  event: Stripe.Event
  isDelivered: boolean
}

const retriedForSeconds = 3 * 86_400

/** Returns the value of `stripe-signature` for a payload. */
export function signPayload(payload: string, { secrets, timestamp }: { secrets: readonly string[]; timestamp: number }): string {
  const signatures = secrets.map((secret) => `v1=${createHmac('sha256', secret).update(`${timestamp}.${payload}`).digest('hex')}`)
  return [`t=${timestamp}`, ...signatures].join(',')
}

/** Sends signed events to the endpoints of their accounts. */
export function createWebhookSender(seconds: () => number) {
  const endpoints: WebhookEndpoint[] = []
  const deliveries: Delivery[] = []
  const inFlight = new Set<Promise<void>>()
  let options: DeliveryOptions = {}

  async function send(delivery: Delivery): Promise<void> {
    const { endpoint, event } = delivery
    const payload = JSON.stringify(event, null, 2)
    const signature = signPayload(payload, {
      secrets: options.secrets ?? endpoint.secrets,
      timestamp: seconds() - (options.ageSeconds ?? 0),
    })
    const headers = { 'content-type': 'application/json; charset=utf-8', 'stripe-signature': signature }
    const response = await fetch(endpoint.url, { method: 'POST', headers, body: payload }).catch(() => null)
    await response?.body?.cancel()
    if (response?.ok) delivery.isDelivered = true
  }

  function start(delivery: Delivery): void {
    const sending = send(delivery).finally(() => inFlight.delete(sending))
    inFlight.add(sending)
  }

  return {
    addEndpoint: (endpoint: WebhookEndpoint) => void endpoints.push(endpoint),
    deliverWith: (next: DeliveryOptions) => void (options = next),
    publish(account: string, event: Stripe.Event): void {
      for (const endpoint of endpoints.filter((each) => each.account === account)) {
        const delivery = { endpoint, event, isDelivered: false }
        deliveries.push(delivery)
        if (options.isDropped || options.isHeld) continue
        for (let copy = 0; copy < (options.copies ?? 1); copy += 1) start(delivery)
      }
    },
    /** Sends what was not delivered, in the given order, as Stripe does for three days. */
    async redeliver({ isReversed = false } = {}): Promise<void> {
      const due = deliveries.filter(({ isDelivered, event }) => !isDelivered && event.created > seconds() - retriedForSeconds)
      for (const delivery of isReversed ? due.toReversed() : due) await send(delivery)
    },
    /** Resolves once no delivery is in progress. */
    async idle(): Promise<void> {
      while (inFlight.size > 0) await Promise.all(inFlight)
    },
    clear(): void {
      deliveries.splice(0)
      options = {}
    },
  }
}
