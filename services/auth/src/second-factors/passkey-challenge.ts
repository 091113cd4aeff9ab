import { hashToken } from '@quittance/runtime/credential'
import type { SystemSql } from '@quittance/sql/sql-runner'
import type { SignedState } from '../sign-in/signed-state.ts'

/** Time between the page and the user's gesture on the device. */
const challengeSeconds = 10 * 60

const purpose = (subject: string) => ({ purpose: 'passkey-challenge', subject }) as const

/** Dependencies of passkeys. */
export interface PasskeyOptions {
  systemSql: SystemSql
  state: SignedState
  /** Public address of the pages; passkeys are bound to its host. */
  authUrl: string
}

/** The challenge as the form carries it; nothing is stored until it is used. */
export function issueChallenge(state: SignedState, { subject, challenge }: { subject: string; challenge: string }): string {
  return state.sign(purpose(subject), challenge, challengeSeconds)
}

const use = `
  insert into short_lived_records (model, id_hash, payload, expires_at)
  values ('PasskeyChallenge', :hash, '{}', now() + make_interval(secs => :seconds)) on conflict do nothing returning 1`

interface Carried {
  state: SignedState
  systemSql: SystemSql
  subject: string
  /** Challenge field of the submitted form. */
  text: unknown
}

/** Consumes the challenge of a form; returns null if it is forged, expired or used. */
export async function useChallenge({ state, systemSql, subject, text }: Carried): Promise<string | null> {
  const challenge = state.open(purpose(subject), text)
  if (!challenge) return null
  const used = await systemSql('passkey-challenge.use', use, { hash: hashToken(challenge), seconds: challengeSeconds })
  return used.length > 0 ? challenge : null
}
