/** Which addresses a delivery may go to. */
import ipaddr from 'ipaddr.js'

export type Cidr = ReturnType<typeof ipaddr.parseCIDR>

/** The whole of IPv6 that is routed on the internet. ipaddr.js calls more than that unicast, `::7f00:1` for one. */
const routedIpv6 = parseCidr('2000::/3')
/** Public by its number, but the platform's own inside Azure. */
const azureHost = parseCidr('168.63.129.16/32')

export function parseCidr(text: string): Cidr {
  return ipaddr.parseCIDR(text)
}

/** An address that may be dialled: public, or in a network the operator allows. */
export function isPermitted(address: string, allowed: readonly Cidr[]): boolean {
  return isPublic(address) || isAllowed(address, allowed)
}

/** True for an address in one of the networks; IPv4 written as IPv6 counts as IPv4. */
export function isAllowed(address: string, networks: readonly Cidr[]): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.process(address)
  return networks.some((network) => parsed.kind() === network[0].kind() && parsed.match(network))
}

/** False for everything private, local, reserved, translated or tunnelled, and for what is no address at all. */
export function isPublic(address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.process(address)
  if (parsed.range() !== 'unicast') return false
  return parsed.kind() === 'ipv6' ? isAllowed(address, [routedIpv6]) : !isAllowed(address, [azureHost])
}
