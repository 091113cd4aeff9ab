import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { NodeTransport } from 'nats/lib/src/node_transport.js'

/** What is used of the client library's transport. */
interface Transport {
  socket: Socket
  options: { tls?: { host?: string | undefined } }
  startTLS(): Promise<TLSSocket>
}

let isCorrected = false

/**
 * Corrects the transport of the client library (nats 2.29.3) for TLS to a server that is named by its IP address. The library passes no name
 * to Node, which then accepts a certificate of `localhost` from every address, and none of the address itself.
 */
export function verifyServerAddresses(): void {
  if (isCorrected) return
  isCorrected = true
  const transport = NodeTransport.prototype as unknown as Transport
  const { startTLS } = transport
  transport.startTLS = function () {
    // Where the library passes a name, Node ignores the address.
    this.options = { ...this.options, tls: { ...this.options.tls, host: this.socket.remoteAddress } }
    return startTLS.call(this)
  }
}
