import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { EndpointSink, ReceivedRequest } from '@quittance/testing/endpoint-sink'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import { Webhook as SvixWebhook } from 'svix'
import { expect } from 'vitest'

/** The official client, in the same copy and version as the e2e tests. */
const { validateEvent } = createRequire(join(import.meta.dirname, '../../../e2e/official-client/package.json'))(
  '@polar-sh/sdk/webhooks',
) as {
  validateEvent(body: string, headers: Record<string, string>, secret: string): { type: string }
}

export const readEventId = ({ headers }: ReceivedRequest) => headers['webhook-id'] as string

/** Returns the ids of the events that the endpoint accepted. */
export const acceptedIds = ({ received }: EndpointSink) => received.filter(({ answered }) => answered === 200).map(readEventId)

const readHeaders = ({ headers }: ReceivedRequest) => headers as Record<string, string>

interface Expected {
  /** Ids of the events that were committed. */
  ids: readonly string[]
  /** As generated. */
  secret: string
}

/**
 * Asserts the guarantees after every fault: exactly the committed events got a 2xx; an event has one id and one body in all its attempts;
 * and every request verifies with each of the three libraries that receivers may use.
 */
export function expectAllDelivered(received: readonly ReceivedRequest[], { ids, secret }: Expected): void {
  const taken = received.filter(({ answered }) => answered !== null && answered >= 200 && answered < 300).map(readEventId)
  expect([...new Set(taken)].toSorted()).toEqual([...ids].toSorted())
  for (const posts of Map.groupBy(received, readEventId).values()) expect(new Set(posts.map(({ body }) => body)).size).toBe(1)
  for (const post of received) expectSigned(post, secret)
}

/** Verifies one request with all three libraries. */
export function expectSigned(post: ReceivedRequest, secret: string): void {
  const headers = readHeaders(post)
  const { type } = JSON.parse(post.body) as { type: string }
  expect(new StandardWebhook(secret).verify(post.body, headers)).toMatchObject({ type })
  expect(() => new SvixWebhook(secret).verify(post.body, headers)).not.toThrow()
  expect(validateEvent(post.body, headers, secret)).toMatchObject({ type })
}
