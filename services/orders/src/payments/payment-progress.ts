import type { Decline } from '../providers/declines.ts'
import type { BuyerAction, Intent, MethodDetails, Money } from '../providers/provider.ts'

/** Rising: created < prepared < submitted < requires_action = processing < closing < failed < succeeded. */
export type PaymentState = 'created' | 'prepared' | 'submitted' | 'requires_action' | 'processing' | 'closing' | 'failed' | 'succeeded'

/** Who started a payment. */
export type Initiator = 'buyer' | 'schedule' | 'buyer_again' | 'method_updated' | 'seller'

/** Why a payment failed: declined, not completed in time, a fault of the configuration, or canceled at the provider. */
export type FailureReason = 'declined' | 'abandoned' | 'misconfigured' | 'canceled'

/** What determines the next step of a payment or setup. */
export interface PaymentProgress {
  id: string
  kind: Intent['kind']
  state: PaymentState
  initiator: Initiator
  createdAt: Date
  /** Null for a setup. */
  money: Money | null
  /** The provider's id of the object; null until an answer named it. */
  theirs: string | null
  /** Number of the current key of `prepare`; 0 before the first call. */
  preparation: number
  /** Number of the current key of `submit`; 0 before the first call. */
  submission: number
  /** Calls under the current key. */
  sends: number
  firstSentAt: Date | null
  sentAt: Date | null
  /** Time of the first call without an answer; null after an answer. */
  unansweredSince: Date | null
  /** Checks since the state changed. */
  checks: number
  /** Start of the call that returned the current state. */
  observedAt: Date | null
  action: BuyerAction | null
  actionUntil: Date | null
  /** Wait requested by the provider for a payment in progress. */
  checkAfterMs: number | null
  decline: Decline | null
  declinedAt: Date | null
  failureReason: FailureReason | null
  charge: string | null
  quarantineReason: string | null
  /** Start of the last call that found the object without a result of the submission; not stored. */
  untouchedAt: Date | null
}

/** What happens outside of the payment itself, in the transaction that records its new state. */
export type Effect =
  | { effect: 'captured'; received: Money; method: MethodDetails | null }
  | { effect: 'stored'; method: MethodDetails | null }
  | { effect: 'failed'; reason: FailureReason }
