/** Amount to pay, in minor units. */
export interface Charge {
  paymentId: string
  amount: bigint
  currency: string
  confirmationToken: string
  /** The buyer is present; otherwise a stored token is charged. */
  isBuyerPresent: boolean
}

/** Amount to refund, in minor units. */
export interface RefundRequest {
  refundId: string
  paymentId: string
  amount: bigint
  currency: string
  /** Of the payment. */
  confirmationToken: string
}

/** Result of a charge, or when to query again. */
export type ChargeResult = { status: 'succeeded' } | { status: 'declined' } | { status: 'processing'; retryAfterMs: number | null }

/**
 * Port of a payment processor. Every call is made outside any transaction and may be repeated with the same ids: a processor guarantees
 * that one `paymentId` is charged once and one `refundId` refunded once. A call that throws, or has no reply before `signal` aborts, may
 * have been executed.
 */
export interface PaymentProcessor {
  /** Checks whether the token can be charged. Moves no money. */
  authorize(confirmationToken: string, signal: AbortSignal): Promise<'authorized' | 'declined'>
  /** Refunds a charge and returns when to check whether the refund is final; null for never. */
  refund(refund: RefundRequest, signal: AbortSignal): Promise<{ checkAfterMs: number | null }>
  /** Checks whether a refund is final: a bank may return it. */
  checkRefund(refund: RefundRequest, signal: AbortSignal): Promise<'succeeded' | 'failed'>
  /** Charges, or returns when to query again. */
  settle(charge: Charge, createdAt: Date, signal: AbortSignal): Promise<ChargeResult>
}
