import { isIP } from 'node:net'
import { RequestValidationError } from '@quittance/contracts/errors'
import { isAllowed, isPublic, type Cidr } from '../deliveries/address-guard.ts'

/** Ports above 1023 that browsers refuse too, because other protocols live there: https://fetch.spec.whatwg.org/#port-blocking. */
const badPorts = new Set([1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6679, 6697, 10080])

/** Refuses a URL that must not be sent to. Names are not resolved here: what they lead to is checked at every connection. */
export function refuseForbiddenUrl(url: string, allowed: readonly Cidr[]): void {
  const problem = urlProblem(url, allowed)
  if (problem) throw RequestValidationError.field(['url'], problem)
}

/** What is wrong with the URL, in a sentence, or null. The parser has made every spelling of an address the plain one. */
export function urlProblem(text: string, allowed: readonly Cidr[]): string | null {
  if (!URL.canParse(text)) return 'The URL cannot be read.'
  const { protocol, username, password, hostname, port } = new URL(text)
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
  const isAddress = isIP(host) !== 0
  if (username || password) return 'The URL must not contain a user name or a password.'
  if (isAddress && isAllowed(host, allowed)) return /^https?:$/.test(protocol) ? null : 'The URL must begin with https:// or http://.'
  if (protocol !== 'https:') return 'The URL must begin with https://.'
  if (isAddress ? !isPublic(host) : isLocalName(host)) return 'The host must be reachable from the internet.'
  return isOrdinary(Number(port || 443)) ? null : 'The port must be 80, 443 or an ordinary one above 1023.'
}

function isLocalName(host: string): boolean {
  return !host.includes('.') || /\.(localhost|local|internal)$/.test(host)
}

function isOrdinary(port: number): boolean {
  return port === 80 || port === 443 || (port > 1023 && !badPorts.has(port) && !(port >= 6665 && port <= 6669))
}
