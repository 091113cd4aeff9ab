/** An absolute http or https address in the characters of RFC 3986, without user info; what a URL parser would repair is none. */
function parseWebUri(text: string): URL | null {
  const isWritten = /^https?:\/\/[^/?#@]+([/?#]|$)/i.test(text) && /^[\x21-\x7e]+$/.test(text) && !/[\\"<>^`{|}]/.test(text)
  return isWritten ? URL.parse(text) : null
}

/** Whether browsers and people may be sent there: https or http, anywhere. */
export function isWebUri(text: string): boolean {
  return parseWebUri(text) !== null
}

/**
 * Whether codes may be sent there: https without fragment and wildcard (RFC 6749 §3.1.2), or http on this machine or in a
 * private IPv4 network, where applications are developed (RFC 8252 §7.3).
 */
export function isRedirectUri(text: string): boolean {
  const uri = parseWebUri(text)
  if (!uri || text.includes('#') || text.includes('*')) return false
  return uri.protocol === 'https:' || isNear(uri.hostname)
}

/** The parser has already written every form of an IPv4 address as four decimal numbers. */
const privateIpv4 = /^(127|10|192\.168|172\.(1[6-9]|2\d|3[01]))\.[\d.]+$/

function isNear(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || privateIpv4.test(host)
}
