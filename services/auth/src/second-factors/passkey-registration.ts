import {
  generateRegistrationOptions,
  verifyRegistrationResponse,
  type AuthenticatorTransport,
  type PublicKeyCredentialCreationOptionsJSON,
  type RegistrationResponseJSON,
} from '@simplewebauthn/server'
import { issueChallenge, useChallenge, type PasskeyOptions } from './passkey-challenge.ts'
import { readPasskeys, storePasskey } from './passkeys.ts'
import { relyingParty } from './relying-party.ts'

interface Asked {
  account: { id: string; email: string }
  subject: string
}

/** Creates the options with which a form registers a passkey; null if passkeys are not available. */
export async function createRegistrationOptions(
  { systemSql, state, authUrl }: PasskeyOptions,
  { account, subject }: Asked,
): Promise<{ options: PublicKeyCredentialCreationOptionsJSON; challenge: string } | null> {
  const party = relyingParty(authUrl)
  if (!party) return null
  const own = await readPasskeys(systemSql, account.id)
  const options = await generateRegistrationOptions({
    rpName: 'Quittance',
    rpID: party.id,
    userName: account.email,
    // Not the e-mail address: anyone with access to the device may read this (WebAuthn §14.6.1).
    userID: new Uint8Array(Buffer.from(account.id.replaceAll('-', ''), 'hex')),
    attestationType: 'none',
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
    excludeCredentials: own.map(({ credentialId: id, transports }) => ({ id, transports })),
  })
  return { options, challenge: issueChallenge(state, { subject, challenge: options.challenge }) }
}

interface Given {
  accountId: string
  subject: string
  form: Record<string, unknown>
  /** Name shown to the user. */
  name: string
}

/** Verifies the registration response (WebAuthn §7.1) and stores the passkey; returns false if it is invalid. */
export async function registerPasskey(
  { systemSql, state, authUrl }: PasskeyOptions,
  { accountId, subject, form, name }: Given,
): Promise<boolean> {
  const party = relyingParty(authUrl)
  const response = readResponse(form['credential'])
  const challenge = await useChallenge({ state, systemSql, subject, text: form['challenge'] })
  if (!party || !response || !challenge) return false
  const verified = await verifyRegistrationResponse({
    response,
    expectedChallenge: challenge,
    expectedOrigin: party.origin,
    expectedRPID: party.id,
    requireUserVerification: false,
  }).catch(() => null)
  if (!verified?.verified) return false
  const { credential, credentialBackedUp } = verified.registrationInfo
  return storePasskey(systemSql, {
    accountId,
    credentialId: credential.id,
    publicKey: credential.publicKey,
    counter: credential.counter,
    // Values chosen by the browser, which are only returned to browsers.
    transports: (credential.transports ?? [])
      .filter((each: string) => /^[a-z-]{1,20}$/.test(each))
      .slice(0, 10) as AuthenticatorTransport[],
    name,
    isBackedUp: credentialBackedUp,
  })
}

function readResponse(text: unknown): RegistrationResponseJSON | null {
  if (typeof text !== 'string' || text.length > 32_768) return null
  try {
    const read = JSON.parse(text) as Partial<RegistrationResponseJSON> | null
    return typeof read?.id === 'string' && typeof read.response === 'object' ? (read as RegistrationResponseJSON) : null
  } catch {
    return null
  }
}
