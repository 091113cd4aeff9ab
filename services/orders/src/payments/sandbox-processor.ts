import { config } from '../config.ts'
import type { PaymentProcessor } from './payment-processor.ts'

const authorized = new Set(['ctoken_ok', 'ctoken_slow', 'ctoken_pending', 'ctoken_once', 'ctoken_declined_later', 'ctoken_refund_bounces'])

/**
 * The processor for trying things out. Nobody pays: `ctoken_ok` completes at once, `ctoken_slow` after a while, `ctoken_pending`
 * never, `ctoken_once` only while the buyer is there. `ctoken_declined_later` is declined when it is charged, and everything else
 * before. What was paid with `ctoken_refund_bounces` can be refunded, but the refund comes back.
 */
export const sandboxProcessor: PaymentProcessor = {
  async authorize(token) {
    return authorized.has(token) ? 'authorized' : 'declined'
  },
  // Nobody paid, so there is nothing to give back.
  async refund({ confirmationToken }) {
    return { checkAfterMs: confirmationToken === 'ctoken_refund_bounces' ? 0 : null }
  },
  async checkRefund({ confirmationToken }) {
    return confirmationToken === 'ctoken_refund_bounces' ? 'failed' : 'succeeded'
  },
  async settle({ confirmationToken, isBuyerPresent }, createdAt) {
    if (confirmationToken === 'ctoken_declined_later') return { status: 'declined' }
    if (confirmationToken === 'ctoken_once' && !isBuyerPresent) return { status: 'declined' }
    if (confirmationToken === 'ctoken_pending') return { status: 'processing', retryAfterMs: null }
    const waitMs = confirmationToken === 'ctoken_slow' ? createdAt.getTime() + config().SANDBOX_SLOW_PAYMENT_MS - Date.now() : 0
    return waitMs > 0 ? { status: 'processing', retryAfterMs: waitMs } : { status: 'succeeded' }
  },
}
