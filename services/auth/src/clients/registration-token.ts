import { hashToken, mintToken } from '@quittance/runtime/credential'
import { openSecret, sealSecret } from '@quittance/runtime/encryption'
import { config } from '../config.ts'

/** Creates a registration access token (RFC 7592): the clear text for its holder, and the columns of the client's row. */
export function createRegistrationToken(clientId: string) {
  const token = mintToken('qt_crt_')
  const sealed = sealSecret(token, { keys: config().SECRETS_KEY, context: registrationTokenContext(clientId) })
  return { token, row: { registrationTokenHash: hashToken(token), registrationTokenSealed: sealed } }
}

/** Returns the token of a client; null if it was never stored, or sealed under a key that no longer exists. */
export function decryptRegistrationToken(sealed: string | null | undefined, clientId: string): string | null {
  if (!sealed) return null
  try {
    return openSecret(sealed, { keys: config().SECRETS_KEY, context: registrationTokenContext(clientId) })
  } catch {
    return null
  }
}

/** Context that the token of a client is sealed with. */
export function registrationTokenContext(clientId: string): string {
  return `registration token of ${clientId}`
}
