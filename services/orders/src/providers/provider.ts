import type { Decline } from './declines.ts'

/** An amount in minor units of an ISO 4217 currency. Adapters convert to the units of their provider. */
export interface Money {
  amount: bigint
  currency: string
}

export type Mode = 'test' | 'live'

/** What an account can do. Callers check this, never the name of the provider. */
export interface Capabilities {
  /** `pull`: the service requests the money. `push`: the buyer sends it. */
  direction: 'pull' | 'push'
  /** Stored methods can be charged while the buyer is absent. */
  laterCharges: boolean
  /** A method can be stored without a charge. */
  setup: boolean
  refunds: 'partial' | 'whole' | 'by_seller'
  disputes: boolean
  /** `bare`: without a signature, so that they only cause a read. */
  events: 'signed' | 'bare' | 'none'
  /** How long a repeated idempotency key returns the same answer, in milliseconds; 0 for never. */
  replayMs: number
  /** Time in milliseconds after which a submission without an answer no longer takes effect: an object untouched by then proves that it came to nothing. */
  settlesWithinMs: number
  /** A canceled object can never be paid. Where false, the next payment waits for a final state. */
  cancelIsFinal: boolean
  /** Whether an amount can be charged: its currency, whether it is too small or too large, and whether the provider can express it. */
  accepts(money: Money): boolean
}

/** The subject of a call. Frozen in its row before the first call: a repeated call sends the same bytes. */
export interface Intent {
  id: string
  kind: 'charge' | 'setup'
  /** Null for a setup. */
  money: Money | null
  /** The customer at the provider, from `ensurePayer`. */
  payer: string | null
  /** The method will be charged later without the buyer. */
  keep: boolean
  buyerPresent: boolean
  source: { token: string } | { method: string } | null
  returnUrl: string | null
  description: string
  /** Suffix of the text on the buyer's bank statement. */
  statement: string | null
  references: { organization: string; customer: string; order: string | null }
}

/** What the provider reports about an object. It is compared with the row outside of the adapter. */
export interface Facts {
  /** Our id in the metadata of the object. */
  ours: string | null
  /** The provider's id of the object. */
  theirs: string
  /** The account at the provider. */
  account: string
  mode: Mode
  /** The requested amount; null for a setup. */
  money: Money | null
  /** The amount received so far; null if none. */
  received: Money | null
}

/** State of a payment or setup at the provider. */
export type Seen = Facts &
  (
    | { is: 'untouched' } // It exists; nothing was submitted, or the submission had no effect.
    | { is: 'requires_action'; action: BuyerAction; until: Date | null }
    | { is: 'processing'; checkAfterMs: number }
    | { is: 'succeeded'; method: MethodDetails | null; charge: string | null }
    | { is: 'declined'; decline: Decline }
    | { is: 'canceled' }
  )

/** The step that the buyer has to take. */
export type BuyerAction =
  | { by: 'client'; clientSecret: string }
  | { by: 'redirect'; url: string }
  | { by: 'transfer'; instructions: TransferInstructions }

/** Where the buyer sends the amount of the payment. `dueDate` is an ISO 8601 date. */
export interface TransferInstructions {
  beneficiary: string
  iban: string
  bic: string | null
  /** Creditor reference by ISO 11649. */
  reference: string
  dueDate: string
  /** Content of the QR code by EPC069-12; null where banks accept none, as for other currencies than euro. */
  epc: string | null
}

/** A stored or used payment method. */
export interface MethodDetails {
  /** The provider's id; null if the method was used once and cannot be charged again. */
  theirs: string | null
  type: string
  brand: string | null
  last4: string | null
  expMonth: number | null
  expYear: number | null
  wallet: string | null
}

/** Customer data sent to the provider. `payer` is the provider's id once it is known. */
export interface PayerDetails {
  id: string
  payer: string | null
  name: string | null
  email: string
  country: string | null
  references: { organization: string; customer: string }
}

/** The subject of a refund call. Frozen in its row like an `Intent`. */
export interface RefundIntent {
  id: string
  payment: { id: string; theirs: string; charge: string | null }
  money: Money
  reason: string
  references: { organization: string; order: string }
}

/** State of a refund at the provider. `payment` is the provider's id of the refunded payment, if it reports that. */
export type SeenRefund = Facts & { payment: string | null } & (
    | { is: 'processing'; checkAfterMs: number }
    | { is: 'succeeded' }
    | { is: 'failed' | 'canceled'; reason: string }
  )

export type DisputeStatus = 'warning' | 'needs_response' | 'under_review' | 'won' | 'lost' | 'prevented' | 'closed'
export type DisputeFunds = 'none' | 'withdrawn' | 'reinstated'

/** State of a dispute at the provider. `payment` is the provider's id of the disputed payment; null for a charge that is none of our payments. */
export type SeenDispute = Facts & {
  payment: string | null
  status: DisputeStatus
  reason: string
  funds: DisputeFunds
  evidenceDueBy: Date | null
}

/** An authenticated event: which object to read. Its content is never used. */
export interface Hint {
  /** The provider's id of the event. */
  event: string
  type: string
  object: { kind: 'charge' | 'setup' | 'refund' | 'dispute' | 'method' | 'mandate'; theirs: string }
  occurredAt: Date
}

export type Answer<T> =
  | { got: T }
  /** Proven: there is no such object. Never returned for a request that may still be in progress. */
  | { absent: true }
  /**
   * The outcome is not known. `sent: false`: the request was certainly not executed. `busy` with `retryAfterMs`: the provider limits the calls
   * of the account, which is paused for at least as long.
   */
  | { unknown: 'timeout' | 'connection' | 'server_error' | 'unreadable' | 'busy'; sent: boolean; retryAfterMs: number | null }
  /** A fault of the configuration, not of the buyer. `detail` is for the seller and contains no secret. `payer`: it was deleted at the provider. */
  | {
      misconfigured: 'credentials' | 'permission' | 'account' | 'mode' | 'feature' | 'currency' | 'amount' | 'request' | 'payer'
      detail: string
    }

/** Which part of a list is read: objects made since a time, at most `limit` (100 or fewer), after the cursor of the page before. */
export interface ListRequest {
  since: Date
  /** Null: up to now. */
  until: Date | null
  limit: number
  after: string | null
}

/** An object in the list of an account. */
export interface Listed<T> {
  /** The provider's id of the object. */
  theirs: string
  createdAt: Date
  /** The metadata names this installation; other software may use the account too. */
  isOurs: boolean
  /** Null if the object is in a state that the adapter does not expect. */
  seen: T | null
}

/** A page of a list, newest first. `next` is the cursor of the page after it; null at the end. */
export interface ListPage<T> {
  objects: readonly Listed<T>[]
  next: string | null
}

/** Complete lists of what an account has, also of what others made there. */
export interface ProviderLists {
  payments(request: ListRequest): Promise<Answer<ListPage<Seen>>>
  refunds(request: ListRequest): Promise<Answer<ListPage<SeenRefund>>>
}

/**
 * Port of a payment provider: one account of one organization. An adapter translates; it does not decide, retry, store or compare. Every
 * call is made outside any transaction. `key` is the idempotency key of the call.
 */
export interface PaymentProvider {
  capabilities(): Capabilities
  /** Credentials, permissions, account and mode, by reads alone. `lacking` names missing permissions. */
  health(): Promise<Answer<{ account: string; mode: Mode; lacking: readonly string[] }>>
  /** Whether a token can be used. Reads only, at most 1.5 s; an `unknown` token is accepted. */
  check(token: string): Promise<Answer<{ usable: boolean }>>
  ensurePayer(payer: PayerDetails, key: string): Promise<Answer<{ payer: string }>>
  /** Creates the object that can succeed once. Moves no money. */
  prepare(intent: Intent, key: string): Promise<Answer<Seen>>
  /** Requests the money, or the storage of the method. At most one submission of an object succeeds, whatever the keys. */
  submit(theirs: string, intent: Intent, key: string): Promise<Answer<Seen>>
  read(theirs: string, kind: Intent['kind']): Promise<Answer<Seen>>
  /** Finds the object by our id in its metadata, in complete lists, never in a search index. */
  findByOurId(intent: Intent, since: Date): Promise<Answer<Seen>>
  /** Returns the state of the object if it was too late to cancel it. */
  cancel(theirs: string, kind: Intent['kind'], key: string): Promise<Answer<Seen>>
  listMethods(payer: string): Promise<Answer<readonly MethodDetails[]>>
  /** A method that is already detached is a success. */
  detachMethod(method: string): Promise<Answer<{ detached: true }>>
  refund(refund: RefundIntent, key: string): Promise<Answer<SeenRefund>>
  readRefund(theirs: string): Promise<Answer<SeenRefund>>
  findRefund(refund: RefundIntent): Promise<Answer<SeenRefund>>
  readDispute(theirs: string): Promise<Answer<SeenDispute>>
  /** Authenticates the bytes as received; null if the signature or its time is not valid. */
  parseWebhook(body: Buffer, headers: Readonly<Record<string, string>>, now: Date): Hint | 'not_ours' | null
  /** Events since a time. Callers ignore repeated ones. */
  eventsSince(since: Date): Promise<Answer<{ hints: readonly Hint[]; until: Date }>>
  /** Absent if the provider keeps no objects that could be compared with rows. */
  lists?: ProviderLists
}
