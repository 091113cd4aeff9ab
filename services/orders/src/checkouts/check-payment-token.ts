import type { confirmCheckout } from '@quittance/contracts/checkouts'
import type { RequestOf } from '@quittance/contracts/operation'
import type { QueryContext } from '@quittance/runtime/handler'
import { withTimeout } from '../payments/processor-calls.ts'
import { paymentProcessor } from '../payments/processor.ts'
import { checkoutBySecretView } from './checkout-view.ts'

/** `unknown`: the processor did not reply in time; the charge decides. */
export type TokenCheck = 'authorized' | 'declined' | 'unknown'

/** Short, because the call moves no money and an unknown result loses nothing. */
const deadlineMs = 1_500

const isOpen = `ch.client_secret = :client_secret and ch.status = 'open' and ch.expires_at > now()`

/** Checks whether the token of a confirmation can be charged. Does not call the processor for a checkout that cannot be confirmed. */
export async function checkPaymentToken(
  { client_secret, confirmation_token_id: token }: RequestOf<typeof confirmCheckout>,
  { read, log }: QueryContext,
): Promise<TokenCheck | undefined> {
  const processor = paymentProcessor()
  if (!token || !processor) return undefined
  if ((await read.oneOrNull(checkoutBySecretView, { where: isOpen, values: { client_secret } })) === null) return undefined
  try {
    return await withTimeout(deadlineMs, (signal) => processor.authorize(token, signal))
  } catch (error) {
    log.warn({ err: error }, 'payment-token.not-checked')
    return 'unknown'
  }
}
