import type { Intent, Money, Seen, SeenRefund } from '../../src/providers/provider.ts'
import { declineKinds, type Decline, type DeclineCode } from '../../src/providers/declines.ts'
import type { Draws } from './draws.ts'

export const dayMs = 86_400_000

/** What a customer can pay with, and what their bank decides. */
export interface Wallet {
  methodId: number
  /** Declined until then, softly. */
  poorUntil: number
  isLost: boolean
  needsBuyer: boolean
  /** Bank debits take days. */
  isDebit: boolean
}

/** What the bank of the buyer decides. */
export type BankDecision =
  | { is: 'succeeded' | 'requires_action' }
  | { is: 'processing'; days: number; succeeds: boolean }
  | { is: 'declined'; code: DeclineCode }

/** What the bank decides about a request now. */
export function decideByWallet(
  wallet: Wallet,
  { kind, buyerPresent }: Intent,
  { now, draws }: { now: number; draws: Draws },
): BankDecision {
  if (wallet.isLost) return { is: 'declined', code: 'lost_or_stolen' }
  if (kind === 'setup') return { is: wallet.needsBuyer ? 'requires_action' : 'succeeded' }
  if (now < wallet.poorUntil) return { is: 'declined', code: 'insufficient_funds' }
  if (wallet.needsBuyer) return buyerPresent ? { is: 'requires_action' } : { is: 'declined', code: 'authentication_required' }
  if (wallet.isDebit) return { is: 'processing', days: draws.between(1, 5), succeeds: !draws.chance(0.02) }
  return { is: 'succeeded' }
}

/** What was asked of a buyer. */
export interface Charge {
  theirs: string
  ours: string
  /** Null for a setup, which stores the method and moves no money. */
  money: Money | null
  status: 'untouched' | 'requires_action' | 'processing' | 'succeeded' | 'declined' | 'canceled'
  /** When it changes by itself. */
  changesAt: number
  becomes: 'succeeded' | 'declined' | 'canceled'
  decline: DeclineCode
  isWrong: boolean
}

/** Money on its way back to a buyer. */
export interface Refund {
  theirs: string
  ours: string
  payment: string
  money: Money
  status: 'processing' | 'succeeded' | 'failed'
  changesAt: number
  becomes: 'succeeded' | 'failed'
}

/** Returns what arrived for a charge that succeeded. */
export const countReceived = ({ money, isWrong }: Charge) => (money ? money.amount + (isWrong ? 1n : 0n) : 0n)

export function toSeen(charge: Charge): Seen {
  const { theirs, ours, money, status } = charge
  const facts = {
    ours,
    theirs,
    account: 'account',
    mode: 'test',
    money: money && isPaidWrong(charge) ? { ...money, amount: countReceived(charge) } : money,
    received: null,
  } as const
  if (status === 'succeeded')
    return { ...facts, received: money && { ...money, amount: countReceived(charge) }, is: 'succeeded', method: null, charge: theirs }
  if (status === 'requires_action') return { ...facts, is: status, action: { by: 'client', clientSecret: theirs }, until: null }
  if (status === 'processing') return { ...facts, is: status, checkAfterMs: dayMs }
  if (status === 'declined') return { ...facts, is: status, decline: toDecline(charge.decline) }
  return { ...facts, is: status }
}

const isPaidWrong = ({ isWrong, status }: Charge) => isWrong && status === 'succeeded'

function toDecline(code: DeclineCode): Decline {
  return { kind: declineKinds[code], code, providerCode: null, notBefore: null }
}

export function toSeenRefund({ theirs, ours, money, status }: Refund): SeenRefund {
  const facts = { ours, theirs, payment: null, account: 'account', mode: 'test', money, received: null } as const
  if (status === 'processing') return { ...facts, is: status, checkAfterMs: dayMs }
  return status === 'failed' ? { ...facts, is: 'failed', reason: 'simulated' } : { ...facts, is: 'succeeded' }
}
