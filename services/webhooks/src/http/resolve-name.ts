import { Resolver } from 'node:dns/promises'
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

/**
 * Returns all addresses of a name. Rethrows the error if the configured name server is unreachable, because the endpoint is not at fault.
 */
export async function resolveHostname(name: string): Promise<string[]> {
  const resolver = (sharedResolver ??= openResolver())
  const results = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
  const addresses = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []))
  if (addresses.length > 0) return addresses
  const errors = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as NodeJS.ErrnoException] : []))
  const resolverError = errors.find((error) => error.code === 'ECONNREFUSED')
  throw resolverError ?? new ConnectionError('dns_error', { cause: errors[0] })
}
