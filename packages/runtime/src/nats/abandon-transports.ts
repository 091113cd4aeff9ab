import type { Socket } from 'node:net'
import { NodeTransport } from 'nats/lib/src/node_transport.js'

/** What is used of the client library's transport. */
interface Transport {
  socket?: Socket
  connected: boolean
  /** Whether the connection attempt has timed out. */
  isAbandoned?: boolean
  dial(address: { hostname: string; port: number }): Promise<Socket>
  close(error?: Error): Promise<void>
  disconnect(): void
}

let isCorrected = false

/**
 * Corrects the transport of the client library (nats 2.29.3) for a server that hangs. A connection attempt that timed out leaves its socket
 * open. When the server continues, it greets that socket and then closes it, for want of credentials; the library then drops its current
 * connection, which is healthy, and leaves that one open with all its subscriptions. And before it drops a connection that hangs, it waits
 * until everything written to it was sent.
 */
export function abandonHangingTransports(): void {
  if (isCorrected) return
  isCorrected = true
  const transport = NodeTransport.prototype as unknown as Transport
  const { dial, close } = transport
  transport.dial = async function (address) {
    const socket = await dial.call(this, address)
    if (!this.isAbandoned) return socket
    socket.destroy()
    throw new Error('The connection attempt timed out')
  }
  transport.close = async function (error) {
    if (this.connected) return close.call(this, error)
    this.isAbandoned = true
    this.socket?.destroy()
  }
  transport.disconnect = function () {
    void close.call(this)
  }
}
