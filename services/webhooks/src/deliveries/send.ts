import { openSecret } from '@quittance/runtime/seal'
import { startSpan } from '@quittance/runtime/trace'
import { config } from '../config.ts'
import { attempt, type Outcome } from './attempt.ts'
import type { Due } from './lane.ts'

/** Opened secrets by their sealed texts: as many as endpoints are busy. */
const opened = new Map<string, string>()
const mostOpened = 5_000

/** One signed POST of a delivery. Its trace is not sent along: what an endpoint is told is the event. */
export async function send(due: Due, signal: AbortSignal): Promise<Outcome> {
  const { url, organization_id: organizationId, event_id: id, payload, sealed_secret: newest, sealed_previous: previous } = due
  const secrets = [newest ?? '', ...previous].map((sealed) => open(sealed, organizationId))
  const span = startSpan('delivery.attempt', 'client', due.traceparent)
  const outcome = await attempt({ url, secrets, id, timestamp: Math.floor(Date.now() / 1000), body: payload ?? '' }, signal)
  span.end({
    attributes: { 'messaging.message.id': id, 'http.response.status_code': outcome.status ?? 0 },
    ...(outcome.reason !== null && { failed: outcome.reason }),
  })
  return outcome
}

function open(sealed: string, context: string): string {
  const known = opened.get(sealed)
  if (known !== undefined) return known
  const secret = openSecret(sealed, { keys: config().SECRETS_KEY, context })
  if (opened.size >= mostOpened) opened.clear()
  opened.set(sealed, secret)
  return secret
}
