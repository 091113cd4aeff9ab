import type { Answer, MethodDetails, PayerDetails } from '../provider.ts'
import { buildCustomerParams } from './intent-params.ts'
import { toMethodDetails } from './observe-intent.ts'
import type { StripeCalls } from './read-intent.ts'
import type { StripeAccount } from './stripe-account.ts'
import { readFailure, toCreateFailure, toFailure } from './stripe-answers.ts'
import { timeoutsMs } from './stripe-client.ts'

/** Calls about customers, their stored methods and the tokens of the payment form. */
export function createPayerCalls(calls: StripeCalls, { mode }: Pick<StripeAccount, 'mode'>) {
  return {
    async check(token: string): Promise<Answer<{ usable: boolean }>> {
      if (!/^ctoken_\w{1,250}$/.test(token)) return { got: { usable: false } }
      try {
        const found = await calls.stripe.confirmationTokens.retrieve(token, {}, { timeout: timeoutsMs.check })
        const isCurrent = found.expires_at !== null && found.expires_at * 1000 > Date.now()
        const isUnused = found.payment_intent === null && found.setup_intent === null
        return { got: { usable: isCurrent && isUnused && found.livemode === (mode === 'live') } }
      } catch (error) {
        const failure = toFailure(error)
        return 'absent' in failure ? { got: { usable: false } } : failure
      }
    },

    async ensurePayer(payer: PayerDetails, key: string): Promise<Answer<{ payer: string }>> {
      const params = buildCustomerParams(payer, calls.settings.installation)
      const options = { idempotencyKey: key, timeout: timeoutsMs.write }
      try {
        const { id } = await (payer.payer
          ? calls.stripe.customers.update(payer.payer, params, options)
          : calls.stripe.customers.create(params, options))
        return { got: { payer: id } }
      } catch (error) {
        return payer.payer ? toFailure(error) : toCreateFailure(error)
      }
    },

    async listMethods(payer: string): Promise<Answer<readonly MethodDetails[]>> {
      try {
        const methods: MethodDetails[] = []
        for await (const method of calls.stripe.customers.listPaymentMethods(payer, { limit: 100 })) {
          const details = toMethodDetails(method)
          if (details) methods.push(details)
        }
        return { got: methods }
      } catch (error) {
        return toFailure(error)
      }
    },

    async detachMethod(method: string): Promise<Answer<{ detached: true }>> {
      try {
        await calls.stripe.paymentMethods.detach(method, {}, { idempotencyKey: `method:${method}:detach:1`, timeout: timeoutsMs.write })
        return { got: { detached: true } }
      } catch (error) {
        // Stripe rejects the request for a method without a customer.
        return readFailure(error)?.type === 'StripeInvalidRequestError' ? { got: { detached: true } } : toFailure(error)
      }
    },
  }
}
