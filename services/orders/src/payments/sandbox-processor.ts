import { config } from '../config.ts'
import type { PaymentProcessor } from './payment-processor.ts'

const authorized = new Set(['ctoken_ok', 'ctoken_slow', 'ctoken_pending', 'ctoken_once', 'ctoken_declined_later', 'ctoken_refund_bounces'])

/**
 * The processor for trials. No money moves: `ctoken_ok` completes at once, `ctoken_slow` after a delay, `ctoken_pending` never,
 * `ctoken_once` only while the buyer is present. `ctoken_declined_later` is declined at the charge, every other token before. A payment
 * with `ctoken_refund_bounces` can be refunded, but the bank returns the refund.
 */
export const sandboxProcessor: PaymentProcessor = {
  async authorize(token) {
    return authorized.has(token) ? 'authorized' : 'declined'
  },
  // No money was paid, so there is none to refund.
  async refund({ confirmationToken }) {
    return { checkAfterMs: confirmationToken === 'ctoken_refund_bounces' ? 0 : null }
  },
  async checkRefund({ confirmationToken }) {
    return confirmationToken === 'ctoken_refund_bounces' ? 'failed' : 'succeeded'
  },
  async settle({ confirmationToken, isBuyerPresent }, createdAt) {
    // A checkout is also confirmed if `authorize` did not reply in time.
    if (!authorized.has(confirmationToken) || confirmationToken === 'ctoken_declined_later') return { status: 'declined' }
    if (confirmationToken === 'ctoken_once' && !isBuyerPresent) return { status: 'declined' }
    if (confirmationToken === 'ctoken_pending') return { status: 'processing', retryAfterMs: null }
    const waitMs = confirmationToken === 'ctoken_slow' ? createdAt.getTime() + config().SANDBOX_SLOW_PAYMENT_MS - Date.now() : 0
    return waitMs > 0 ? { status: 'processing', retryAfterMs: waitMs } : { status: 'succeeded' }
  },
}
