import type { JobContext } from '@quittance/runtime/handler'
import { recordDispute } from '../disputes/record-dispute.ts'
import { callWithDeadline } from '../payments/calls-in-progress.ts'
import { findEndOfPause, pauseIfLimited } from '../payments/pause-account.ts'
import { loadProviderAccount } from '../payments/provider-account.ts'
import { openProvider } from '../providers/provider-of.ts'
import type { Answer } from '../providers/provider.ts'
import { recordFoundRefund } from '../refunds/record-found-refund.ts'

/** An object of the provider without a row. */
export interface FoundObject {
  organizationId: string
  paymentAccountId: string
  kind: 'refund' | 'dispute'
  theirs: string
}

/** `later`: there was no answer, or it cannot be recorded now. */
export type FoundOutcome = 'recorded' | 'not_ours' | 'later'

/** Reads an object that an event is about, and records it as a row of its payment. The call is made outside of transactions. */
export async function readFoundObject(found: FoundObject, context: JobContext): Promise<FoundOutcome> {
  const { organizationId, paymentAccountId, kind, theirs } = found
  const account = await context.transaction(organizationId, ({ sql }) => loadProviderAccount(sql, { paymentAccountId, organizationId }))
  const provider = openProvider(account, context)
  const readAt = new Date()
  if (!provider || findEndOfPause(account, { now: readAt, random: 0 })) return 'later'
  const call = <T>(make: () => Promise<Answer<T>>) => callWithDeadline(context.leaseMs, make)
  if (kind === 'refund') {
    const answer = await call(() => provider.readRefund(theirs))
    return context.transaction(organizationId, async (transaction) => {
      await pauseIfLimited(transaction.sql, { account, answer })
      return 'got' in answer ? recordFoundRefund(transaction, { account, seen: answer.got }) : toOutcome(answer)
    })
  }
  const answer = await call(() => provider.readDispute(theirs))
  return context.transaction(organizationId, async (transaction) => {
    await pauseIfLimited(transaction.sql, { account, answer })
    return 'got' in answer ? recordDispute(transaction, { account, seen: answer.got, readAt }) : toOutcome(answer)
  })
}

const toOutcome = (answer: object): FoundOutcome => ('absent' in answer ? 'not_ours' : 'later')
