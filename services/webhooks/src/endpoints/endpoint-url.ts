import { isIP } from 'node:net'
import { RequestValidationError } from '@quittance/contracts/errors'
import { isInNetworks, isPublicAddress, type AddressExceptions } from '@quittance/runtime/address-policy'

/** Ports above 1023 that browsers block too, because other protocols use them: https://fetch.spec.whatwg.org/#port-blocking. */
const badPorts = new Set([1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6679, 6697, 10080])

/** Throws if the URL is not an allowed destination. Names are not resolved here: their addresses are checked at every connection. */
export function assertAllowedUrl(url: string, exceptions: AddressExceptions): void {
  const problem = findUrlProblem(url, exceptions)
  if (problem) throw RequestValidationError.field(['url'], problem)
}

/** Returns a sentence that describes the problem of the URL, or null. The URL parser normalizes every spelling of an address. */
export function findUrlProblem(text: string, { networks, deniedPorts }: AddressExceptions): string | null {
  if (!URL.canParse(text)) return 'The URL cannot be read.'
  const { protocol, username, password, hostname, port } = new URL(text)
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
  const isAddress = isIP(host) !== 0
  if (username || password) return 'The URL must not contain a user name or a password.'
  if (isAddress && isInNetworks(host, networks)) {
    if (!/^https?:$/.test(protocol)) return 'The URL must begin with https:// or http://.'
    return deniedPorts.has(Number(port || (protocol === 'https:' ? 443 : 80))) ? 'The port belongs to the system itself.' : null
  }
  if (protocol !== 'https:') return 'The URL must begin with https://.'
  if (isAddress ? !isPublicAddress(host) : isLocalName(host)) return 'The host must be reachable from the internet.'
  return isOrdinary(Number(port || 443)) ? null : 'The port must be 80, 443 or a port above 1023 that is not assigned to another protocol.'
}

function isLocalName(host: string): boolean {
  return !host.includes('.') || /\.(localhost|local|internal)$/.test(host)
}

function isOrdinary(port: number): boolean {
  return port === 80 || port === 443 || (port > 1023 && !badPorts.has(port) && !(port >= 6665 && port <= 6669))
}
