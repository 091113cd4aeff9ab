import type { Msg, NatsConnection } from 'nats'

/** Sends a request over NATS and waits for its reply. */
export type SendRequest = (subject: string, body: string) => Promise<Msg>

const timeoutMs = 5_000

/** Uses the client library: a timer and a promise chain per request. */
export function createLibraryRequests(connection: NatsConnection): SendRequest {
  return (subject, body) => connection.request(subject, body, { timeout: timeoutMs })
}

interface PendingRequest {
  resolve(message: Msg): void
  reject(error: Error): void
  since: number
}

/** Uses one subscription for all replies, and rejects overdue requests once per second. */
export function createInboxRequests(connection: NatsConnection): SendRequest {
  const inbox = `_INBOX.${crypto.randomUUID()}`
  const pending = new Map<string, PendingRequest>()
  let count = 0
  connection.subscribe(`${inbox}.*`, {
    callback(error, message) {
      if (error) return
      const request = pending.get(message.subject)
      pending.delete(message.subject)
      request?.resolve(message)
    },
  })
  setInterval(() => {
    for (const [reply, { since, reject }] of pending) {
      if (Date.now() - since < timeoutMs) continue
      pending.delete(reply)
      reject(new Error('No reply'))
    }
  }, 1_000).unref()
  return (subject, body) =>
    new Promise((resolve, reject) => {
      const reply = `${inbox}.${(count += 1)}`
      pending.set(reply, { resolve, reject, since: Date.now() })
      connection.publish(subject, body, { reply })
    })
}
