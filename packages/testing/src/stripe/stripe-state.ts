import type Stripe from 'stripe'

export type CapturedMoney = 'captured' | 'refunded' | 'refund-failed' | 'disputed' | 'dispute-reinstated'

/** A movement of money between buyers and the account, in units of Stripe. */
export interface MoneyMovement {
  kind: CapturedMoney
  amount: number
  currency: string
  /** The payment intent. */
  intent: string
}

/** An account with its objects; another account never sees them. */
export interface StripeAccountState {
  id: string
  isLive: boolean
  keys: Set<string>
  /** Permissions that restricted keys of this account lack, by resource name as in the path: `refunds`. */
  lacking: Set<string>
  customers: Map<string, Stripe.Customer>
  tokens: Map<string, Stripe.ConfirmationToken>
  /** What a token was created for in a browser; its intent must name the same. */
  tokenTerms: Map<string, { amount?: number; currency: string; setupFutureUsage?: string }>
  methods: Map<string, Stripe.PaymentMethod>
  /** Which test card a method, or the method of a token, is. */
  cards: Map<string, string>
  paymentIntents: Map<string, Stripe.PaymentIntent>
  setupIntents: Map<string, Stripe.SetupIntent>
  charges: Map<string, Stripe.Charge>
  refunds: Map<string, Stripe.Refund>
  disputes: Map<string, Stripe.Dispute>
  events: Stripe.Event[]
  movements: MoneyMovement[]
  idempotency: Map<string, StoredReply>
}

export interface StripeReply {
  status: number
  headers?: Record<string, string>
  body: unknown
}

/** What a key was used for; `reply` is null while the first request is executed. */
export interface StoredReply {
  fingerprint: string
  storedAt: number
  reply: StripeReply | null
}

/** Clock and ids of one fake. */
export interface StripeWorld {
  now(): number
  seconds(): number
  createId(prefix: string): string
  /** Stores the event and sends it to the endpoints of the account. */
  publish(account: StripeAccountState, type: Stripe.Event.Type, object: object): void
}

/** World and account of a call. */
export type Origin = readonly [StripeWorld, StripeAccountState]

export function createAccountState(id: string, isLive: boolean): StripeAccountState {
  return {
    id,
    isLive,
    keys: new Set(),
    lacking: new Set(),
    customers: new Map(),
    tokens: new Map(),
    tokenTerms: new Map(),
    methods: new Map(),
    cards: new Map(),
    paymentIntents: new Map(),
    setupIntents: new Map(),
    charges: new Map(),
    refunds: new Map(),
    disputes: new Map(),
    events: [],
    movements: [],
    idempotency: new Map(),
  }
}

interface StripeErrorBody {
  type: 'api_error' | 'card_error' | 'idempotency_error' | 'invalid_request_error'
  message: string
  code?: string | undefined
  decline_code?: string | undefined
  advice_code?: string | undefined
  network_advice_code?: string | undefined
  param?: string | undefined
  payment_intent?: Stripe.PaymentIntent | undefined
  setup_intent?: Stripe.SetupIntent | undefined
}

/** An error reply. `isStored`: execution had begun, so the reply is kept under the idempotency key. */
export class StripeRejection extends Error {
  readonly status: number
  readonly body: StripeErrorBody
  readonly isStored: boolean

  constructor(status: number, body: StripeErrorBody, isStored = false) {
    super(body.message)
    this.status = status
    this.body = body
    this.isStored = isStored
  }
}

/** A request that names an object that does not exist: 404 in the path, 400 in a parameter. */
export function createMissingError(noun: string, id: string, param: string | null): StripeRejection {
  const message = `No such ${noun}: '${id}'`
  return new StripeRejection(param ? 400 : 404, { type: 'invalid_request_error', code: 'resource_missing', message, param: param ?? 'id' })
}

export function createParameterError(param: string, message: string, code?: string): StripeRejection {
  return new StripeRejection(400, { type: 'invalid_request_error', code, message, param })
}
