import { openSecret } from '@quittance/runtime/encryption'
import { startSpan } from '@quittance/runtime/tracing'
import { config } from '../config.ts'
import { postWebhook, type AttemptOutcome } from '../http/post-webhook.ts'
import type { DueDelivery } from './endpoint-queue.ts'

/** Decrypted secrets by ciphertext; the working set is the number of busy endpoints. */
const openedSecrets = new Map<string, string>()
const maxOpenedSecrets = 5_000

/** Sends one signed POST of a delivery. Its trace context is not sent: endpoints receive only the event. */
export async function sendDelivery(due: DueDelivery, signal: AbortSignal): Promise<AttemptOutcome> {
  const { url, organization_id: organizationId, event_id: id, payload, sealed_secret: newest, sealed_previous: previous } = due
  const secrets = [newest ?? '', ...previous].map((sealed) => open(sealed, organizationId))
  const span = startSpan('delivery.attempt', 'client', due.traceparent)
  const outcome = await postWebhook({ url, secrets, id, timestamp: Math.floor(Date.now() / 1000), body: payload ?? '' }, signal)
  span.end({
    attributes: { 'messaging.message.id': id, 'http.response.status_code': outcome.status ?? 0 },
    ...(outcome.reason !== null && { failed: outcome.reason }),
  })
  return outcome
}

function open(sealed: string, context: string): string {
  const cached = openedSecrets.get(sealed)
  if (cached !== undefined) return cached
  const secret = openSecret(sealed, { keys: config().SECRETS_KEY, context })
  if (openedSecrets.size >= maxOpenedSecrets) openedSecrets.clear()
  openedSecrets.set(sealed, secret)
  return secret
}
