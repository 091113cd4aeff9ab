import ipaddr from 'ipaddr.js'

/**
 * Under what requests of an address are counted. One customer has a whole /64 of IPv6, so that is one client. IPv4 clients of a
 * dual-stack socket come as `::ffff:a.b.c.d`; they are unmapped first, or all of them would be in one /64.
 */
export function countedAddress(address: string): string {
  if (!address.includes(':') || !ipaddr.isValid(address)) return address
  const parsed = ipaddr.parse(address)
  if (!(parsed instanceof ipaddr.IPv6)) return address
  if (parsed.isIPv4MappedAddress()) return parsed.toIPv4Address().toString()
  const network = parsed.parts.slice(0, 4).map((part) => part.toString(16))
  return `${network.join(':')}::/64`
}
