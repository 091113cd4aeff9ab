import type { ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import type { FakeFault } from './fake-faults.ts'
import type { StripeAccountState, StripeReply, StripeWorld } from './stripe-state.ts'

/** A call as the fake received it. */
export interface FakeCall {
  account: string | null
  /** Route, or method and path of a call that no route serves. */
  route: string
  path: string
  key: string | null
  body: string
  /** Status of the reply; null if none was sent. */
  status: number | null
  at: number
}

/** A call and its response. */
export interface Connection {
  response: ServerResponse
  call: FakeCall
}

/** Sends the reply unless a fault after the execution changes or loses it. */
export async function sendLater(
  world: StripeWorld,
  connection: Connection,
  { reply, after }: { reply: StripeReply & { isReplay?: boolean }; after: FakeFault | null },
): Promise<void> {
  if (after?.kind === 'delay') await delay(after.ms)
  else if (after?.kind === 'tamper') after.change(reply.body as Record<string, unknown>)
  else if (after) {
    const changed = toFaultReply(after)
    return changed ? sendReply(world, connection, changed) : loseReply(after, connection.response)
  }
  sendReply(world, connection, reply)
}

export function toFaultReply(fault: FakeFault): StripeReply | null {
  if (fault.kind === 'text') return { status: fault.status, body: fault.text }
  if (fault.kind === 'server-error') return { status: 500, body: { error: { type: 'api_error', message: 'An unknown error occurred.' } } }
  if (fault.kind !== 'rate-limit') return null
  const headers = fault.retryAfterSeconds ? { 'retry-after': String(fault.retryAfterSeconds) } : {}
  return { status: 429, headers, body: { error: { type: 'invalid_request_error', code: 'rate_limit', message: 'Too many requests.' } } }
}

export function loseReply({ kind }: FakeFault, response: ServerResponse): void {
  if (kind === 'timeout') return
  if (kind === 'reset') return void response.socket?.resetAndDestroy()
  if (kind === 'truncated') response.writeHead(200, { 'content-type': 'application/json', 'content-length': 1_000 }).write('{"id": "pi_')
  response.socket?.destroySoon()
}

export function sendReply(world: StripeWorld, { response, call }: Connection, reply: StripeReply & { isReplay?: boolean }): void {
  call.status = reply.status
  const isText = typeof reply.body === 'string'
  response.writeHead(reply.status, {
    'content-type': isText ? 'text/html' : 'application/json',
    'request-id': world.createId('req'),
    'stripe-version': '2026-10-28.endive',
    'stripe-should-retry': String(reply.status === 409 || reply.status === 429),
    ...(call.key && { 'idempotency-key': call.key }),
    ...(reply.isReplay && { 'idempotent-replayed': 'true' }),
    ...reply.headers,
  })
  response.end(isText ? reply.body : JSON.stringify(reply.body))
}

/** Replaces ids by their objects, in an object or in each of a list. */
export function expandObject(account: StripeAccountState, object: object, names: readonly string[]): object {
  const targets =
    'data' in object && Array.isArray(object.data) ? (object.data as Record<string, unknown>[]) : [object as Record<string, unknown>]
  const sources = { latest_charge: account.charges, payment_method: account.methods }
  for (const name of names.map((each) => each.replace(/^data\./, '')) as (keyof typeof sources)[]) {
    for (const target of targets) {
      const found = sources[name]?.get(String(target[name]))
      if (found) target[name] = structuredClone(found)
    }
  }
  return object
}
