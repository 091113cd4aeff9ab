import ipaddr from 'ipaddr.js'

/**
 * Returns the network under which attempts and requests of an address are counted: the address itself for IPv4, its /64 for IPv6, because
 * one customer of a provider has a whole /64 (RFC 6177). IPv4 clients of a dual-stack socket appear as `::ffff:a.b.c.d` and are unmapped
 * first; otherwise all of them would share one /64. Text that is not an address is returned unchanged.
 */
export function clientNetwork(address: string): string {
  if (!address.includes(':') || !ipaddr.isValid(address)) return address
  const parsed = ipaddr.parse(address)
  if (!(parsed instanceof ipaddr.IPv6)) return address
  if (parsed.isIPv4MappedAddress()) return parsed.toIPv4Address().toString()
  const network = parsed.parts.slice(0, 4).map((part) => part.toString(16))
  return `${network.join(':')}::/64`
}
