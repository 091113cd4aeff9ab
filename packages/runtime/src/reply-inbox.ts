import { createInbox, Events, NatsError, type ErrorCode, type Msg, type MsgHdrs, type NatsConnection } from 'nats'
import { isAway } from './nats.ts'
import { together } from './together.ts'

interface Asked {
  subject: string
  body: Uint8Array
  headers: MsgHdrs
  timeoutMs: number
}

interface Waiting {
  resolve(message: Msg): void
  reject(error: NatsError): void
  until: number
}

/** How exact a timeout is. */
const sweepMs = 250

const inboxes = new WeakMap<NatsConnection, (asked: Asked) => Promise<Msg>>()

/**
 * Request and reply over one subscription for all answers and one sweep for all timeouts. The client library makes a timer, two
 * promises and an error object with its stack for every request: that is half of what a read costs the gateway on the bus.
 */
export async function ask(connection: NatsConnection, asked: Asked): Promise<Msg> {
  if (isAway(connection)) throw failure('DISCONNECT')
  let inbox = inboxes.get(connection)
  if (!inbox) inboxes.set(connection, (inbox = openInbox(connection)))
  return inbox(asked)
}

function openInbox(connection: NatsConnection): (asked: Asked) => Promise<Msg> {
  const prefix = `${createInbox((connection as unknown as { options: { inboxPrefix?: string } }).options.inboxPrefix)}.`
  const waiting = new Map<string, Waiting>()
  let count = 0
  connection.subscribe(`${prefix}*`, {
    callback(error, message) {
      if (error) return
      const request = waiting.get(message.subject)
      waiting.delete(message.subject)
      // An answer without a body and with status 503 is the server's word that nobody listens.
      if (message.data.length === 0 && message.headers?.code === 503) request?.reject(failure('503'))
      else request?.resolve(message)
    },
  })
  const failWhere = (isLost: (request: Waiting) => boolean, code: string) => {
    for (const [reply, request] of waiting) {
      if (!isLost(request)) continue
      waiting.delete(reply)
      request.reject(failure(code))
    }
  }
  const sweep = setInterval(() => {
    const now = Date.now()
    failWhere(({ until }) => until <= now, 'TIMEOUT')
  }, sweepMs)
  sweep.unref()
  void connection.closed().then(() => {
    clearInterval(sweep)
    failWhere(() => true, 'CONNECTION_CLOSED')
  })
  void failOnDisconnect(connection, () => failWhere(() => true, 'DISCONNECT'))
  return ({ subject, body, headers, timeoutMs }) =>
    new Promise((resolve, reject) => {
      const reply = `${prefix}${(count += 1)}`
      waiting.set(reply, { resolve, reject, until: Date.now() + timeoutMs })
      together(() => {
        // Whoever was told meanwhile that the connection broke must not be obeyed once it is back.
        if (waiting.has(reply)) connection.publish(subject, body, { reply, headers })
      }).catch((error: NatsError) => {
        waiting.delete(reply)
        reject(error)
      })
    })
}

/** An answer that was under way when the connection broke does not come any more. */
async function failOnDisconnect(connection: NatsConnection, fail: () => void): Promise<void> {
  for await (const { type } of connection.status()) if (type === Events.Disconnect) fail()
}

function failure(code: string): NatsError {
  return new NatsError(code, code as ErrorCode)
}
