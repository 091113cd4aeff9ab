import { Resolver } from 'node:dns/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { ConnectionError } from '@quittance/runtime/checked-connection'
import { config } from '../config.ts'

/** Uses c-ares instead of getaddrinfo, which has only four threads: a few dead zones would block every endpoint. */
let sharedResolver: Resolver | null = null

function openResolver(): Resolver {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 })
  const { WEBHOOK_DNS_SERVERS: servers } = config()
  if (servers.length > 0) resolver.setServers(servers)
  return resolver
}

/** Milliseconds to wait for IPv6 addresses once there are IPv4 ones (RFC 8305 §3), and the reverse: many networks have no IPv6. */
const ipv6DelayMs = 50
const ipv4DelayMs = 1_000

/**
 * Returns the addresses of a name. A query of one family that is never answered does not hide those of the other. Rethrows the error if the
 * configured name server is unreachable, because the endpoint is not at fault.
 */
export async function resolveHostname(name: string): Promise<string[]> {
  const resolver = (sharedResolver ??= openResolver())
  const addresses: string[] = []
  const store = (found: string[]) => void addresses.push(...found)
  const ipv4 = resolver.resolve4(name).then(store)
  const ipv6 = resolver.resolve6(name).then(store)
  const results = Promise.allSettled([ipv4, ipv6])
  const enough = [ipv4.then(() => delay(ipv6DelayMs, null, { ref: false })), ipv6.then(() => delay(ipv4DelayMs, null, { ref: false }))]
  await Promise.race([results, Promise.any(enough).catch(() => results)])
  if (addresses.length > 0) return [...addresses]
  const errors = (await results).flatMap((result) => (result.status === 'rejected' ? [result.reason as NodeJS.ErrnoException] : []))
  const resolverError = errors.find((error) => error.code === 'ECONNREFUSED')
  throw resolverError ?? new ConnectionError('dns_error', { cause: errors[0] })
}
