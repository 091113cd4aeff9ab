/**
 * Connections for deliveries. The address that was checked is the address that is dialled, so a name that resolves to another
 * address a moment later gains nothing; and literal addresses are checked too, which a resolver never sees.
 */
import { once } from 'node:events'
import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls, createSecureContext } from 'node:tls'
import { callbackify } from 'node:util'
import type { buildConnector } from 'undici'

/** Why no connection came about, in a word that is stored with the attempt. */
export type ConnectionProblem = 'destination_blocked' | 'dns_error' | 'connect_timeout' | 'connection_failed' | 'tls_error'

export class NotConnected extends Error {
  readonly problem: ConnectionProblem

  constructor(problem: ConnectionProblem, options?: ErrorOptions) {
    super(problem, options)
    this.problem = problem
  }
}

export interface Guard {
  /** Addresses of a name; throws `NotConnected` when it has none. */
  resolve(name: string): Promise<string[]>
  isPermitted(address: string): boolean
  /** For name, TCP and TLS together. */
  timeoutMs: number
}

/** Parsing the certificate store is costly; all connections share one. */
const secureContext = createSecureContext({ minVersion: 'TLSv1.2' })

/** A connector for an undici `Agent`. */
export function guardedConnector(guard: Guard): buildConnector.connector {
  const connect = callbackify((target: buildConnector.Options) => open(target, guard))
  return (target, callback) => connect(target, (error, socket) => (error ? callback(error, null) : callback(null, socket)))
}

async function open({ hostname, port, protocol }: buildConnector.Options, guard: Guard): Promise<Socket> {
  const deadline = AbortSignal.timeout(guard.timeoutMs)
  const addresses = await Promise.race([permittedAddresses(hostname, guard), expiry(deadline)])
  const isTls = protocol === 'https:'
  const socket = await dial({ addresses, port: Number(port || (isTls ? 443 : 80)), deadline })
  // Only what was permitted is dialled; this is the second lock on the same door, before a byte is sent.
  if (socket.remoteAddress && !guard.isPermitted(socket.remoteAddress)) {
    socket.destroy()
    throw new NotConnected('destination_blocked')
  }
  return isTls ? secure(socket, { hostname, deadline }) : socket
}

async function permittedAddresses(hostname: string, { resolve, isPermitted }: Guard): Promise<string[]> {
  const addresses = isIP(hostname) ? [hostname] : await resolve(hostname)
  const permitted = addresses.filter(isPermitted)
  if (permitted.length === 0) throw new NotConnected('destination_blocked')
  return permitted
}

function expiry(deadline: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    deadline.addEventListener('abort', () => reject(new NotConnected('dns_error')), { once: true })
  })
}

interface Dialling {
  addresses: string[]
  port: number
  deadline: AbortSignal
}

function dial({ addresses, port, deadline }: Dialling): Promise<Socket> {
  const answer = addresses.map((address) => ({ address, family: isIP(address) }))
  // With several addresses Node tries them in turn, as RFC 8305 has it. The host is only a label: `lookup` has the answer already.
  const socket = connectTcp({
    host: 'endpoint',
    port,
    autoSelectFamily: true,
    lookup: (_name, _options, callback) => callback(null, answer),
  })
  socket.setNoDelay(true).setKeepAlive(true, 60_000)
  return settle(socket, { event: 'connect', deadline, failed: 'connection_failed', late: 'connect_timeout' })
}

function secure(socket: Socket, { hostname, deadline }: { hostname: string; deadline: AbortSignal }): Promise<Socket> {
  const name = hostname.replace(/\.$/, '')
  const secured = connectTls({ socket, host: name, servername: isIP(name) ? '' : name, ALPNProtocols: ['http/1.1'], secureContext })
  return settle(secured, { event: 'secureConnect', deadline, failed: 'tls_error', late: 'tls_error' })
}

interface Awaited {
  event: string
  deadline: AbortSignal
  failed: ConnectionProblem
  late: ConnectionProblem
}

/** The socket once the event has come; one that fails or is late is destroyed. */
async function settle(socket: Socket, { event, deadline, failed, late }: Awaited): Promise<Socket> {
  // A destroyed socket may still report an error, and nobody else listens yet.
  socket.on('error', () => {})
  try {
    await once(socket, event, { signal: deadline })
    return socket
  } catch (error) {
    socket.destroy()
    throw new NotConnected(deadline.aborted ? late : failed, { cause: error })
  }
}
