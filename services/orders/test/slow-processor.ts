import type { PaymentProcessor } from '../src/payments/payment-processor.ts'
import { replaceProcessor } from '../src/payments/processor.ts'

type Call = keyof PaymentProcessor

/** A processor for tests: records its calls and refunds, and replies to each kind of call as the test defines. */
export interface TestProcessor extends Disposable {
  /** Ids of the rows it was called about, by kind of call; for `authorize` the token. */
  calls: Record<Call, string[]>
  /** Refunds it made: one per id, however often it is called. */
  refunded: Set<string>
  /** Runs after a call was executed and before its reply; nothing by default. */
  before: Partial<Record<Call, (id: string, signal: AbortSignal) => Promise<void>>>
}

export function useTestProcessor(): TestProcessor {
  const calls: TestProcessor['calls'] = { authorize: [], refund: [], checkRefund: [], settle: [] }
  const refunded = new Set<string>()
  const before: TestProcessor['before'] = {}
  const executed = async (call: Call, { id, signal }: { id: string; signal: AbortSignal }) => {
    calls[call].push(id)
    await before[call]?.(id, signal)
  }
  const replaced = replaceProcessor({
    async authorize(token, signal) {
      await executed('authorize', { id: token, signal })
      return 'authorized'
    },
    async refund({ refundId }, signal) {
      refunded.add(refundId)
      await executed('refund', { id: refundId, signal })
      return { checkAfterMs: null }
    },
    async checkRefund({ refundId }, signal) {
      await executed('checkRefund', { id: refundId, signal })
      return 'succeeded'
    },
    async settle({ paymentId }, _, signal) {
      await executed('settle', { id: paymentId, signal })
      return { status: 'succeeded' }
    },
  })
  return { calls, refunded, before, [Symbol.dispose]: () => replaced[Symbol.dispose]() }
}

/** Never replies; rejects when the caller aborts. */
export function hang(_: string, signal: AbortSignal): Promise<void> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true })
  })
}
