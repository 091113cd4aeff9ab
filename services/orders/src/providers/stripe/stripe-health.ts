import type Stripe from 'stripe'
import type { Answer, Mode } from '../provider.ts'
import { readFailure, readPermissions, toFailure } from './stripe-answers.ts'

/** Reads that need the permissions of the adapter, by the name of what they permit. An unknown id suffices: it is 404 with the permission. */
const permissionReads: Readonly<Record<string, (stripe: Stripe) => Promise<unknown>>> = {
  Balance: (stripe) => stripe.balance.retrieve(),
  PaymentIntents: (stripe) => stripe.paymentIntents.list({ limit: 1 }),
  SetupIntents: (stripe) => stripe.setupIntents.list({ limit: 1 }),
  Refunds: (stripe) => stripe.refunds.list({ limit: 1 }),
  Events: (stripe) => stripe.events.list({ limit: 1 }),
  Disputes: (stripe) => stripe.disputes.retrieve('dp_none'),
  ConfirmationTokens: (stripe) => stripe.confirmationTokens.retrieve('ctoken_none'),
  PaymentMethods: (stripe) => stripe.customers.listPaymentMethods('cus_none'),
}

/**
 * Reads account and mode, and names the missing permissions. Reads cannot prove a permission to write: a key that lacks one is `misconfigured`
 * at the first write.
 */
export async function checkStripeHealth(stripe: Stripe): Promise<Answer<{ account: string; mode: Mode; lacking: readonly string[] }>> {
  try {
    const { id } = await stripe.accounts.retrieveCurrent()
    const results = await Promise.allSettled(Object.values(permissionReads).map((read) => read(stripe)))
    const names = Object.keys(permissionReads)
    const lacking = results.flatMap((result, i) => (result.status === 'rejected' ? readLacking(result.reason, names[i] as string) : []))
    const failure = results.map((result) => (result.status === 'rejected' ? toFailure(result.reason) : null)).find(isNoAnswer)
    if (failure) return failure
    const balance = results[0] as PromiseSettledResult<Stripe.Balance>
    if (balance?.status !== 'fulfilled') return { misconfigured: 'permission', detail: 'The API key lacks the permission to read Balance.' }
    return { got: { account: id, mode: balance.value.livemode ? 'live' : 'test', lacking } }
  } catch (error) {
    return toFailure(error)
  }
}

function readLacking(error: unknown, name: string): string[] {
  const failure = readFailure(error)
  if (failure?.statusCode !== 403) return []
  const named = readPermissions(failure.message)
  return named.length > 0 ? named : [name]
}

function isNoAnswer(failure: ReturnType<typeof toFailure> | null): failure is ReturnType<typeof toFailure> {
  return failure !== null && !('absent' in failure) && !('misconfigured' in failure && failure.misconfigured === 'permission')
}
