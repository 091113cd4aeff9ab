import { isIP } from 'node:net'

/** The site that passkeys are bound to (WebAuthn §5.1.3). */
export interface RelyingParty {
  id: string
  origin: string
}

/**
 * Returns the host of AUTH_URL. Null if that is an IP address: browsers bind passkeys to names only (`localhost` is one), so none are
 * offered. A changed host invalidates every passkey.
 */
export function relyingParty(authUrl: string): RelyingParty | null {
  const { hostname, origin } = new URL(authUrl)
  return isIP(hostname.replaceAll(/[[\]]/g, '')) ? null : { id: hostname, origin }
}
