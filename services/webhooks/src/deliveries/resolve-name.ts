import { Resolver } from 'node:dns/promises'
import { config } from '../config.ts'
import { NotConnected } from './guarded-connection.ts'

/** c-ares, not getaddrinfo: that one sits on four threads, and a few dead zones would hold up every endpoint. */
let known: Resolver | null = null

function openResolver(): Resolver {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 })
  const { WEBHOOK_DNS_SERVERS: servers } = config()
  if (servers.length > 0) resolver.setServers(servers)
  return resolver
}

/** All addresses of a name. That our own name server cannot be reached is no fault of the endpoint, and is thrown as it is. */
export async function resolveName(name: string): Promise<string[]> {
  const resolver = (known ??= openResolver())
  const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
  const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
  if (addresses.length > 0) return addresses
  const errors = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason as NodeJS.ErrnoException] : []))
  const ours = errors.find((error) => error.code === 'ECONNREFUSED')
  throw ours ?? new NotConnected('dns_error', { cause: errors[0] })
}
