/**
 * A URI as DPoP proofs are compared (RFC 9449 §4.3): without query and fragment, after the syntax- and scheme-based
 * normalisation of RFC 3986 §6.2.2 and §6.2.3. Null for what is not an http(s) URI.
 */
export function proofTarget(uri: string): string | null {
  if (!URL.canParse(uri)) return null
  const { protocol, origin, pathname } = new URL(uri)
  if (protocol !== 'https:' && protocol !== 'http:') return null
  return origin + pathname.replaceAll(/%[0-9a-f]{2}/gi, normalEscape)
}

function normalEscape(escape: string): string {
  const character = String.fromCharCode(Number.parseInt(escape.slice(1), 16))
  return /[\w.~-]/.test(character) ? character : escape.toUpperCase()
}
