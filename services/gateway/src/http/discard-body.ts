import type { IncomingMessage, ServerResponse } from 'node:http'
import { clientNetwork } from '@quittance/runtime/client-network'

/** Longest rest of a body that is discarded, and most for a network in a second, in bytes: eight times the largest body of any path. */
const maxDiscardedBytes = 16 * 1024 * 1024

/** Time for the client to read the response once the rest of its body is not read. */
const closeWithinMs = 1_000

/**
 * Reads the rest of a body that nothing uses, and discards it. If the connection were closed before, a client that is still sending would
 * get a reset instead of the response. A rest that is too long, or has a chunk that is not allowed, is not read: its connection ends.
 */
function discardBody({ req: message }: ServerResponse, isAllowed: (bytes: number) => boolean): void {
  const { socket } = message
  const { destroySoon } = socket
  let isLast = false
  let discardedBytes = 0
  let timer: NodeJS.Timeout | undefined

  function stopReading(): void {
    message.pause()
    timer ??= setTimeout(() => socket.destroy(), closeWithinMs).unref()
  }

  // Node calls it after the last response of a connection, even if the client is still sending.
  socket.destroySoon = () => {
    isLast = true
  }
  message.once('end', () => {
    socket.destroySoon = destroySoon
    if (isLast) socket.destroySoon()
  })
  message.on('data', ({ length }: Buffer) => {
    discardedBytes += length
    if (discardedBytes > maxDiscardedBytes || !isAllowed(length)) stopReading()
  })
  if (Number(message.headers['content-length'] ?? 0) > maxDiscardedBytes) stopReading()
}

/** Discards what is left of bodies, within the limits of a request and of its client network. */
export function createBodyDiscarder() {
  const discarding = new WeakSet<ServerResponse>()
  const bytesByNetwork = new Map<string, number>()

  function count(network: string, bytes: number): boolean {
    const total = (bytesByNetwork.get(network) ?? 0) + bytes
    bytesByNetwork.set(network, total)
    return total <= maxDiscardedBytes
  }

  return {
    /** Discards what has not arrived of the body of a request, if anything. */
    discard(response: ServerResponse, address: string): void {
      if (response.req.complete || !hasBody(response.req) || discarding.has(response)) return
      discarding.add(response)
      const network = clientNetwork(address)
      discardBody(response, (bytes) => count(network, bytes))
    },
    /** Starts to count the bytes of every network again. */
    startSecond: () => bytesByNetwork.clear(),
  }
}

/** Whether a request announces a body. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}
