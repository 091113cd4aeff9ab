import { isIP } from 'node:net'

/** Splits URLs of servers of one NATS cluster, separated by commas; `nats://` may be omitted. */
export function splitNatsUrls(urls: string): string[] {
  return urls.split(',').map((url) => (url.includes('://') ? url : `nats://${url}`))
}

/** Returns what is wrong with the URLs of NATS servers, or null. The text contains no part of them, because they contain passwords. */
export function findNatsUrlFault(urls: string): string | null {
  const servers = splitNatsUrls(urls)
  if (!servers.every((url) => URL.canParse(url)))
    return 'must be a URL such as nats://USER:PASSWORD@HOST:4222, with special characters of the password percent-encoded'
  const schemes = new Set(servers.map((url) => new URL(url).protocol))
  if ([...schemes].some((scheme) => scheme !== 'nats:' && scheme !== 'tls:'))
    return 'must begin with nats://, or with tls:// to require TLS'
  if (schemes.size > 1) return 'must begin with tls:// for every server or for none'
  // The client library does not compare a certificate with an address, only with a name.
  const hasAddress = servers.some((url) => isIP(new URL(url).hostname.replaceAll(/[[\]]/g, '')) > 0)
  return schemes.has('tls:') && hasAddress ? 'must name a server with tls:// by its name, not by its IP address' : null
}
