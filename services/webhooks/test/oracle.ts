import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Received } from '@quittance/testing/endpoint-sink'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import { Webhook as SvixWebhook } from 'svix'
import { expect } from 'vitest'

/** The official client as the tests of the whole system have it: one copy, of one version. */
const { validateEvent } = createRequire(join(import.meta.dirname, '../../../e2e/official-client/package.json'))(
  '@polar-sh/sdk/webhooks',
) as {
  validateEvent(body: string, headers: Record<string, string>, secret: string): { type: string }
}

export const idOf = ({ headers }: Received) => headers['webhook-id'] as string
const asHeaders = ({ headers }: Received) => headers as Record<string, string>

interface Expected {
  /** Ids of the events that were committed. */
  ids: readonly string[]
  /** As it was generated. */
  secret: string
}

/**
 * What holds after every fault: what was committed is what got a 2xx, neither more nor less; an event has one id and one body through all
 * its attempts; and every request verifies with each of the three libraries its receivers may hold.
 */
export function demandAllDelivered(received: readonly Received[], { ids, secret }: Expected): void {
  const taken = received.filter(({ answered }) => answered !== null && answered >= 200 && answered < 300).map(idOf)
  expect([...new Set(taken)].toSorted()).toEqual([...ids].toSorted())
  for (const posts of Map.groupBy(received, idOf).values()) expect(new Set(posts.map(({ body }) => body)).size).toBe(1)
  for (const post of received) demandSigned(post, secret)
}

/** Verifies one request in all three ways. */
export function demandSigned(post: Received, secret: string): void {
  const headers = asHeaders(post)
  const { type } = JSON.parse(post.body) as { type: string }
  expect(new StandardWebhook(secret).verify(post.body, headers)).toMatchObject({ type })
  expect(() => new SvixWebhook(secret).verify(post.body, headers)).not.toThrow()
  expect(validateEvent(post.body, headers, secret)).toMatchObject({ type })
}
