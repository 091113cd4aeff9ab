/**
 * Connections to addresses chosen by others. The checked address is the one that is connected to, so a name that later resolves to another
 * address has no effect. Literal addresses are checked too, although a resolver never sees them.
 */
import { once } from 'node:events'
import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls, createSecureContext, type SecureContext } from 'node:tls'
import { callbackify } from 'node:util'
import type { buildConnector } from 'undici'

/** Reason why a connection failed; stored with the attempt. */
export type ConnectionFailure = 'destination_blocked' | 'dns_error' | 'connect_timeout' | 'connection_failed' | 'tls_error'

export class ConnectionError extends Error {
  readonly reason: ConnectionFailure

  constructor(problem: ConnectionFailure, options?: ErrorOptions) {
    super(problem, options)
    this.reason = problem
  }
}

export interface ConnectionPolicy {
  /** Resolves a name to its addresses; throws `ConnectionError` if it has none. */
  resolve(name: string): Promise<string[]>
  isPermitted(target: { address: string; port: number }): boolean
  /** Timeout for name resolution, TCP and TLS together. */
  timeoutMs: number
}

/** Parsing the certificate store is expensive; all connections share one, created for the first. */
let secureContext: SecureContext | undefined

/** Creates a connector for an undici `Agent`. */
export function createCheckedConnector(policy: ConnectionPolicy): buildConnector.connector {
  const connect = callbackify((target: buildConnector.Options) => open(target, policy))
  return (target, callback) => connect(target, (error, socket) => (error ? callback(error, null) : callback(null, socket)))
}

async function open({ hostname, port, protocol }: buildConnector.Options, policy: ConnectionPolicy): Promise<Socket> {
  const deadline = AbortSignal.timeout(policy.timeoutMs)
  const isTls = protocol === 'https:'
  const portNumber = Number(port || (isTls ? 443 : 80))
  const addresses = await Promise.race([permittedAddresses({ hostname, port: portNumber }, policy), expiry(deadline)])
  const socket = await dial({ addresses, port: portNumber, deadline })
  // Only permitted addresses are connected to; this is a second check before any byte is sent.
  if (socket.remoteAddress && !policy.isPermitted({ address: socket.remoteAddress, port: portNumber })) {
    socket.destroy()
    throw new ConnectionError('destination_blocked')
  }
  return isTls ? secure(socket, { hostname, deadline }) : socket
}

async function permittedAddresses(
  { hostname, port }: { hostname: string; port: number },
  { resolve, isPermitted }: ConnectionPolicy,
): Promise<string[]> {
  const addresses = isIP(hostname) ? [hostname] : await resolve(hostname)
  const permitted = addresses.filter((address) => isPermitted({ address, port }))
  if (permitted.length === 0) throw new ConnectionError('destination_blocked')
  return permitted
}

function expiry(deadline: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    deadline.addEventListener('abort', () => reject(new ConnectionError('dns_error')), { once: true })
  })
}

interface Dialling {
  addresses: string[]
  port: number
  deadline: AbortSignal
}

function dial({ addresses, port, deadline }: Dialling): Promise<Socket> {
  const resolved = addresses.map((address) => ({ address, family: isIP(address) }))
  // With several addresses Node tries them in turn (RFC 8305). The host is only a label: `lookup` already has the addresses.
  const socket = connectTcp({
    host: 'endpoint',
    port,
    autoSelectFamily: true,
    lookup: (_name, _options, callback) => callback(null, resolved),
  })
  socket.setNoDelay(true).setKeepAlive(true, 60_000)
  return settle(socket, { event: 'connect', deadline, failed: 'connection_failed', late: 'connect_timeout' })
}

function secure(socket: Socket, { hostname, deadline }: { hostname: string; deadline: AbortSignal }): Promise<Socket> {
  const name = hostname.replace(/\.$/, '')
  secureContext ??= createSecureContext({ minVersion: 'TLSv1.2' })
  const secured = connectTls({ socket, host: name, servername: isIP(name) ? '' : name, ALPNProtocols: ['http/1.1'], secureContext })
  return settle(secured, { event: 'secureConnect', deadline, failed: 'tls_error', late: 'tls_error' })
}

interface SettleOptions {
  event: string
  deadline: AbortSignal
  failed: ConnectionFailure
  late: ConnectionFailure
}

/** Returns the socket after the event; destroys it on failure or timeout. */
async function settle(socket: Socket, { event, deadline, failed, late }: SettleOptions): Promise<Socket> {
  // A destroyed socket may still emit an error, and no other listener exists yet.
  socket.on('error', () => {})
  try {
    await once(socket, event, { signal: deadline })
    return socket
  } catch (error) {
    socket.destroy()
    throw new ConnectionError(deadline.aborted ? late : failed, { cause: error })
  }
}
