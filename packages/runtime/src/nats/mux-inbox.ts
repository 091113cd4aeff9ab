import { randomBytes } from 'node:crypto'
import { replyPrefix } from '@quittance/contracts/nats-users'
import { Events, NatsError, type ErrorCode, type Msg, type MsgHdrs, type NatsConnection } from 'nats'
import { isOptimized } from '../process/optimizations.ts'
import { isDisconnected, readNatsUser } from './nats-connection.ts'

interface MuxRequestOptions {
  subject: string
  body: Uint8Array
  headers: MsgHdrs
  timeoutMs: number
}

interface PendingRequest {
  resolve(message: Msg): void
  reject(error: NatsError): void
  until: number
}

/** Resolution of timeouts. */
const sweepMs = 250
/** 128 bits: a reply cannot be forged by guessing its subject. */
const tokenBytes = 16
/** Random bytes are drawn for many tokens at once; one call per token would cost a read more than its signature. */
const tokensPerDraw = 256

const inboxes = new WeakMap<NatsConnection, (request: MuxRequestOptions) => Promise<Msg>>()

/**
 * Sends a request with one subscription for all replies and one sweep for all timeouts. The client library creates a timer, two promises
 * and an error object with its stack per request, which is half of the gateway's bus cost of a read.
 */
export async function muxRequest(connection: NatsConnection, request: MuxRequestOptions): Promise<Msg> {
  if (isDisconnected(connection)) throw failure('DISCONNECT')
  let inbox = inboxes.get(connection)
  if (!inbox) inboxes.set(connection, (inbox = openInbox(connection)))
  return inbox(request)
}

/** Reply subjects are `_INBOX_‹user›.‹first token of the request's subject›.‹instance›.‹token›`, see `replyPrefix`. */
function openInbox(connection: NatsConnection): (request: MuxRequestOptions) => Promise<Msg> {
  const user = readNatsUser(connection)
  const drawToken = createTokens()
  const instance = drawToken()
  const pending = new Map<string, PendingRequest>()
  connection.subscribe(`${replyPrefix(user, '*')}.${instance}.*`, {
    callback(error, message) {
      if (error) return
      const request = pending.get(message.subject)
      pending.delete(message.subject)
      // A reply without a body and with status 503 is from the server: the subject has no subscriber.
      if (message.data.length === 0 && message.headers?.code === 503) request?.reject(failure('503'))
      else request?.resolve(message)
    },
  })
  const rejectWhere = (isLost: (request: PendingRequest) => boolean, code: string) => {
    for (const [reply, request] of pending) {
      if (!isLost(request)) continue
      pending.delete(reply)
      request.reject(failure(code))
    }
  }
  let sweepTimer: NodeJS.Timeout | undefined
  function sweep(): void {
    const now = Date.now()
    rejectWhere(({ until }) => until <= now, 'TIMEOUT')
    if (pending.size > 0) return
    clearInterval(sweepTimer)
    sweepTimer = undefined
  }
  void connection.closed().then(() => {
    clearInterval(sweepTimer)
    rejectWhere(() => true, 'CONNECTION_CLOSED')
  })
  void failOnDisconnect(connection, () => rejectWhere(() => true, 'DISCONNECT'))
  return ({ subject, body, headers, timeoutMs }) =>
    new Promise((resolve, reject) => {
      const owner = subject.slice(0, subject.indexOf('.'))
      const reply = `${replyPrefix(user, owner)}.${instance}.${drawToken()}`
      pending.set(reply, { resolve, reject, until: Date.now() + timeoutMs })
      sweepTimer ??= setInterval(sweep, sweepMs).unref()
      publishBatched(() => {
        // A request that was rejected because the connection broke must not be sent once it is back.
        if (pending.has(reply)) connection.publish(subject, body, { reply, headers })
      }).catch((error: NatsError) => {
        pending.delete(reply)
        reject(error)
      })
    })
}

function createTokens(): () => string {
  let drawn = Buffer.alloc(0)
  return () => {
    if (drawn.length === 0) drawn = randomBytes(tokenBytes * tokensPerDraw)
    const token = drawn.toString('base64url', 0, tokenBytes)
    drawn = drawn.subarray(tokenBytes)
    return token
  }
}

/** The reply to a request that was in flight when the connection broke does not arrive. */
async function failOnDisconnect(connection: NatsConnection, fail: () => void): Promise<void> {
  for await (const { type } of connection.status()) if (type === Events.Disconnect) fail()
}

function failure(code: string): NatsError {
  return new NatsError(code, code as ErrorCode)
}

const isBatched = isOptimized('batched-publish')
let waiting: (() => void)[] = []

/**
 * Publishes at the end of this turn of the event loop, together with other messages of the turn. The client library writes to its socket at
 * the next microtask, so each message would be a separate write, its most expensive part. Resolves when the message is passed to the client
 * library; rejects as `publish` does.
 */
export function publishBatched(publish: () => void): Promise<void> {
  if (!isBatched) return publishNow(publish)
  return new Promise((resolve, reject) => {
    if (waiting.length === 0) setImmediate(publishAll)
    waiting.push(() => {
      try {
        publish()
        resolve()
      } catch (error) {
        reject(error as Error)
      }
    })
  })
}

async function publishNow(publish: () => void): Promise<void> {
  publish()
}

function publishAll(): void {
  const all = waiting
  waiting = []
  for (const publish of all) publish()
}
