import {
  generateAuthenticationOptions,
  verifyAuthenticationResponse,
  type AuthenticationResponseJSON,
  type PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/server'
import { issueChallenge, useChallenge, type PasskeyOptions } from './passkey-challenge.ts'
import { findPasskey, recordPasskeyUse, readPasskeys } from './passkeys.ts'
import { relyingParty } from './relying-party.ts'

/** What a form needs to request a passkey from the browser. */
export interface PasskeyRequest {
  options: PublicKeyCredentialRequestOptionsJSON
  challenge: string
}

/** The browser that is asked for a passkey. */
interface PasskeyContext {
  options: PasskeyOptions
  /** What the browser proves by cookie; the challenge is bound to it. */
  subject: string
}

interface SubmittedPasskey extends PasskeyContext {
  form: Record<string, unknown>
}

/**
 * Returns null if passkeys are not available, see `relyingParty`. With an account, any of its passkeys is accepted after the password;
 * without one, the device finds a passkey itself and must verify its user, because nothing else does.
 */
export async function createPasskeyOptions({ options, subject }: PasskeyContext, accountId?: string): Promise<PasskeyRequest | null> {
  const party = relyingParty(options.authUrl)
  if (!party) return null
  const own = accountId ? await readPasskeys(options.systemSql, accountId) : null
  const requestOptions = await generateAuthenticationOptions({
    rpID: party.id,
    userVerification: own ? 'preferred' : 'required',
    ...(own && { allowCredentials: own.map(({ credentialId: id, transports }) => ({ id, transports })) }),
  })
  return { options: requestOptions, challenge: issueChallenge(options.state, { subject, challenge: requestOptions.challenge }) }
}

/** A verified passkey. */
export interface VerifiedPasskey {
  accountId: string
  /** Bound to one device; false if its provider syncs it. */
  isHardware: boolean
}

/** Verifies the authentication response (WebAuthn §7.2); returns null if it is invalid. `accountId`: the account it must belong to. */
export async function verifyPasskey(
  { options, subject, form }: SubmittedPasskey,
  accountId: string | null,
): Promise<VerifiedPasskey | null> {
  const { systemSql, state, authUrl } = options
  const party = relyingParty(authUrl)
  const response = readResponse(form['credential'])
  const challenge = await useChallenge({ state, systemSql, subject, text: form['challenge'] })
  if (!party || !response || !challenge) return null
  const passkey = await findPasskey(systemSql, response.id)
  if (!passkey || (accountId !== null && passkey.accountId !== accountId)) return null
  const { credentialId: id, publicKey, counter, transports } = passkey
  const verified = await verifyAuthenticationResponse({
    response,
    expectedChallenge: challenge,
    expectedOrigin: party.origin,
    expectedRPID: party.id,
    credential: { id, publicKey, counter, transports },
    requireUserVerification: accountId === null,
  }).catch(() => null)
  if (!verified?.verified) return null
  const { newCounter, credentialBackedUp, credentialDeviceType } = verified.authenticationInfo
  if (!(await recordPasskeyUse(systemSql, { id: passkey.id, counter: newCounter, isBackedUp: credentialBackedUp }))) return null
  return { accountId: passkey.accountId, isHardware: credentialDeviceType === 'singleDevice' }
}

/** JSON field of a form, as `passkey-script.ts` writes it; the library checks the rest. */
function readResponse(text: unknown): AuthenticationResponseJSON | null {
  if (typeof text !== 'string' || text.length > 16_384) return null
  try {
    const read = JSON.parse(text) as Partial<AuthenticationResponseJSON> | null
    return typeof read?.id === 'string' && read.id.length <= 1_400 && !read.id.includes('\0') && typeof read.response === 'object'
      ? (read as AuthenticationResponseJSON)
      : null
  } catch {
    return null
  }
}
