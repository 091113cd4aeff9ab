import type { IncomingMessage } from 'node:http'

/** Longest body that is read after its rejection, in bytes: eight times the largest that any path accepts. */
const maxDiscardedBytes = 16 * 1024 * 1024

/**
 * Reads the rest of a rejected body and discards it. Node closes the connection after the response, and a client that is still sending then
 * gets a reset instead of the response. The time is limited as for every request: by its timeout and the minimum rate of a body. Longer
 * bodies are not read.
 */
export async function discardBody(message: IncomingMessage): Promise<void> {
  if (message.complete || message.destroyed || Number(message.headers['content-length'] ?? 0) > maxDiscardedBytes) return
  let discardedBytes = 0
  await new Promise<void>((resolve) => {
    message.on('data', (chunk: Buffer) => {
      discardedBytes += chunk.length
      if (discardedBytes > maxDiscardedBytes) resolve()
    })
    message.once('end', resolve)
    message.once('close', resolve)
    message.resume()
  })
}
