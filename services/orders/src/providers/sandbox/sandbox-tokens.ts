import { declineKinds, type Decline, type DeclineCode } from '../declines.ts'

/** What the sandbox does with a payment. `later`: it is in progress first. */
export type SandboxScript =
  | { result: 'succeeded'; later?: 'slow' }
  | { result: 'declined'; code: DeclineCode; later?: 'soon' }
  | { result: 'pending' }
  /** `ends`: what the payment is once the buyer completed the step. */
  | { result: 'requires_action'; ends: 'succeeded' | 'declined' }
  | { result: 'misconfigured' }

const succeeds: SandboxScript = { result: 'succeeded' }
const declines = (code: DeclineCode): SandboxScript => ({ result: 'declined', code })

const scripts: Readonly<Record<string, SandboxScript>> = {
  ctoken_ok: succeeds,
  ctoken_slow: { result: 'succeeded', later: 'slow' },
  ctoken_pending: { result: 'pending' },
  ctoken_once: succeeds,
  ctoken_declined_later: { result: 'declined', code: 'generic', later: 'soon' },
  ctoken_refund_bounces: succeeds,
  ctoken_insufficient_funds: declines('insufficient_funds'),
  ctoken_expired: declines('expired_card'),
  ctoken_lost: declines('lost_or_stolen'),
  ctoken_needs_buyer_later: succeeds,
  ctoken_action: { result: 'requires_action', ends: 'succeeded' },
  ctoken_action_fails: { result: 'requires_action', ends: 'declined' },
  ctoken_lost_answer: succeeds,
  ctoken_lost_request: succeeds,
  ctoken_late_success: declines('generic'),
  ctoken_wrong_amount: succeeds,
  ctoken_wrong_mode: succeeds,
  ctoken_misconfigured: { result: 'misconfigured' },
  ctoken_refund_pending: succeeds,
  ctoken_disputed: succeeds,
  ctoken_dispute_won: succeeds,
}

/** Tokens with another result while the buyer is absent. The step of the bank was completed when the method was stored. */
const absentScripts: Readonly<Record<string, SandboxScript>> = {
  ctoken_once: declines('generic'),
  ctoken_needs_buyer_later: declines('authentication_required'),
  ctoken_action: succeeds,
}

const methodPrefix = 'pm_'

/** Whether a token exists. */
export function isKnownToken(token: string): boolean {
  return Object.hasOwn(scripts, token)
}

/** Returns what happens to a payment with a token, or with the method stored from it. */
export function chooseScript(token: string, { isBuyerPresent }: { isBuyerPresent: boolean }): SandboxScript {
  return (isBuyerPresent ? undefined : absentScripts[token]) ?? scripts[token] ?? declines('generic')
}

/** Returns the id of the method that is stored from a token. */
export function toSandboxMethod(token: string): string {
  return `${methodPrefix}${token}`
}

/** Returns the token that a method was stored from. */
export function toSandboxToken(method: string): string {
  return method.startsWith(methodPrefix) ? method.slice(methodPrefix.length) : method
}

export function buildDecline(code: DeclineCode): Decline {
  return { kind: declineKinds[code], code, providerCode: code, notBefore: null }
}
