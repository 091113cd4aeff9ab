/** Policy for outgoing connections to addresses chosen by others: webhooks, metadata documents of clients. */
import ipaddr from 'ipaddr.js'
import { z } from 'zod'

export type Cidr = ReturnType<typeof ipaddr.parseCIDR>

/** The globally routed IPv6 range. ipaddr.js classifies more than that as unicast, for example `::7f00:1`. */
const routedIpv6 = parseCidr('2000::/3')
/** A public address that is internal to the platform inside Azure. */
const azureHost = parseCidr('168.63.129.16/32')

export function parseCidr(text: string): Cidr {
  return ipaddr.parseCIDR(text)
}

/** Parses a setting that lists networks, separated by commas, for `z.string().transform(readCidrs)`. */
export function readCidrs(list: string, context: z.RefinementCtx): Cidr[] {
  const texts = list.split(',').map((text) => text.trim())
  try {
    return texts.filter(Boolean).map(parseCidr)
  } catch {
    context.addIssue({ code: 'custom', message: 'must be networks like 127.0.0.0/8, separated by commas' })
    return z.NEVER
  }
}

/** Networks that the operator allows in addition to public addresses, and ports denied in them. */
export interface AddressExceptions {
  networks: readonly Cidr[]
  /** Ports of the system itself; denied in these networks. */
  deniedPorts: ReadonlySet<number>
}

/** Whether an address may be connected to: a public address, or one in an allowed network on a port that is not the system's own. */
export function isAllowedAddress(
  { address, port }: { address: string; port: number },
  { networks, deniedPorts }: AddressExceptions,
): boolean {
  return isPublicAddress(address) || (isInNetworks(address, networks) && !deniedPorts.has(port))
}

/** Whether an address is in one of the networks; IPv4-mapped IPv6 counts as IPv4. */
export function isInNetworks(address: string, networks: readonly Cidr[]): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.process(address)
  return networks.some((network) => parsed.kind() === network[0].kind() && parsed.match(network))
}

/** Returns false for private, local, reserved, translated and tunnelled addresses, and for text that is not an address. */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.process(address)
  if (parsed.range() !== 'unicast') return false
  return parsed.kind() === 'ipv6' ? isInNetworks(address, [routedIpv6]) : !isInNetworks(address, [azureHost])
}
