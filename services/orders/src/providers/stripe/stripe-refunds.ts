import type { Answer, RefundIntent, SeenDispute, SeenRefund } from '../provider.ts'
import { buildRefundParams } from './intent-params.ts'
import { observeDispute, observeRefund } from './observe-refund.ts'
import { findInList, type StripeCalls } from './read-intent.ts'
import { metadataKeys } from './stripe-account.ts'
import { toStripeAmount } from './stripe-amounts.ts'
import { toCreateFailure, toFailure, unreadable } from './stripe-answers.ts'
import { timeoutsMs } from './stripe-client.ts'

/** Calls about refunds and disputes. Evidence for a dispute is submitted in Stripe's dashboard. */
export function createRefundCalls(calls: StripeCalls) {
  return {
    async refund(refund: RefundIntent, key: string): Promise<Answer<SeenRefund>> {
      const amount = toStripeAmount(refund.money)
      if (!amount) return { misconfigured: 'amount', detail: 'Stripe does not take this amount in this currency.' }
      try {
        const options = { idempotencyKey: key, timeout: timeoutsMs.write }
        return observeRefund(
          await calls.stripe.refunds.create(buildRefundParams(refund, amount, calls.settings.installation), options),
          calls.observer(),
        )
      } catch (error) {
        return toCreateFailure(error)
      }
    },

    async readRefund(theirs: string): Promise<Answer<SeenRefund>> {
      try {
        return observeRefund(await calls.stripe.refunds.retrieve(theirs), calls.observer())
      } catch (error) {
        return toFailure(error)
      }
    },

    async findRefund({ id, payment }: RefundIntent): Promise<Answer<SeenRefund>> {
      try {
        const list = calls.stripe.refunds.list({ payment_intent: payment.theirs, limit: 100 })
        const found = await findInList(list, ({ metadata }) => metadata?.[metadataKeys.refund] === id)
        if (found === 'too long') return unreadable
        return found ? observeRefund(found, calls.observer()) : { absent: true }
      } catch (error) {
        return toCreateFailure(error)
      }
    },

    async readDispute(theirs: string): Promise<Answer<SeenDispute>> {
      try {
        return observeDispute(await calls.stripe.disputes.retrieve(theirs), calls.observer())
      } catch (error) {
        return toFailure(error)
      }
    },
  }
}
