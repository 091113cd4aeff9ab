import type { Msg, NatsConnection } from 'nats'

/** Sends a request over NATS and waits for its answer. */
export type Ask = (subject: string, body: string) => Promise<Msg>

const timeoutMs = 5_000

/** As the client library does it: a timer and a promise chain per request. */
export function askWithLibrary(connection: NatsConnection): Ask {
  return (subject, body) => connection.request(subject, body, { timeout: timeoutMs })
}

interface Waiting {
  resolve(message: Msg): void
  reject(error: Error): void
  since: number
}

/** One subscription for all answers, and one sweep a second for those that do not come. */
export function askWithOwnInbox(connection: NatsConnection): Ask {
  const inbox = `_INBOX.${crypto.randomUUID()}`
  const waiting = new Map<string, Waiting>()
  let count = 0
  connection.subscribe(`${inbox}.*`, {
    callback(error, message) {
      if (error) return
      const request = waiting.get(message.subject)
      waiting.delete(message.subject)
      request?.resolve(message)
    },
  })
  setInterval(() => {
    for (const [reply, { since, reject }] of waiting) {
      if (Date.now() - since < timeoutMs) continue
      waiting.delete(reply)
      reject(new Error('No answer'))
    }
  }, 1_000).unref()
  return (subject, body) =>
    new Promise((resolve, reject) => {
      const reply = `${inbox}.${(count += 1)}`
      waiting.set(reply, { resolve, reject, since: Date.now() })
      connection.publish(subject, body, { reply })
    })
}
