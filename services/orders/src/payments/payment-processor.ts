/** What is to be paid, in minor units. */
export interface Charge {
  paymentId: string
  amount: bigint
  currency: string
  confirmationToken: string
  /** The buyer is there; without them a stored token is charged. */
  isBuyerPresent: boolean
}

/** What is given back, in minor units. */
export interface Return {
  refundId: string
  paymentId: string
  amount: bigint
  currency: string
  /** Of the payment. */
  confirmationToken: string
}

/** How a charge went, or when to ask again. */
export type Settlement = { status: 'succeeded' } | { status: 'declined' } | { status: 'processing'; retryAfterMs: number | null }

/** How a payment processor looks from here. A real one keeps the promise that one `paymentId` is charged once. */
export interface PaymentProcessor {
  /** Whether the token can be charged at all. Moves no money, so a crash after it costs nothing. */
  authorize(confirmationToken: string): Promise<'authorized' | 'declined'>
  /** Gives back what was charged, and says when to ask whether that stood; null for never. The same `refundId` again gives nothing more. */
  refund(refund: Return): Promise<{ checkAfterMs: number | null }>
  /** Whether a refund that was made stands: a bank may send it back. */
  checkRefund(refund: Return): Promise<'succeeded' | 'failed'>
  /** Charges, or tells when to ask again. May be called again after a crash. */
  settle(charge: Charge, createdAt: Date): Promise<Settlement>
}
