import type { JobContext, Transaction } from '@quittance/runtime/handler'
import { recordDispute } from '../disputes/record-dispute.ts'
import { findKnownMethod, recordSeenMethod } from '../payment-methods/record-seen-method.ts'
import { callWithDeadline } from '../payments/calls-in-progress.ts'
import { findEndOfPause, pauseIfLimited } from '../payments/pause-account.ts'
import { loadProviderAccount } from '../payments/provider-account.ts'
import { openProvider } from '../providers/provider-of.ts'
import type { Answer, MethodDetails } from '../providers/provider.ts'
import { recordFoundRefund } from '../refunds/record-found-refund.ts'

/** An object of the provider that is read by itself: it has no row, or its row is not checked by a job. */
export interface FoundObject {
  organizationId: string
  /** Null for the sandbox. */
  paymentAccountId: string | null
  kind: 'refund' | 'dispute' | 'method'
  theirs: string
}

/** `later`: there was no answer, or it cannot be recorded now. */
export type FoundOutcome = 'recorded' | 'not_ours' | 'later'

/** Reads an object that an event is about, and records it. The call is made outside of transactions. */
export async function readFoundObject(found: FoundObject, context: JobContext): Promise<FoundOutcome> {
  const { organizationId, paymentAccountId, kind, theirs } = found
  const account = await context.transaction(organizationId, ({ sql }) => loadProviderAccount(sql, { paymentAccountId, organizationId }))
  const provider = openProvider(account, context)
  const readAt = new Date()
  if (!provider || findEndOfPause(account, { now: readAt, random: 0 })) return 'later'
  const record = async <T>(call: () => Promise<Answer<T>>, save: (transaction: Transaction, got: T) => Promise<FoundOutcome>) => {
    const answer = await callWithDeadline(context.leaseMs, call)
    return context.transaction(organizationId, async (transaction) => {
      await pauseIfLimited(transaction.sql, { account, answer })
      return 'got' in answer ? save(transaction, answer.got) : toOutcome(answer)
    })
  }
  if (kind === 'refund')
    return record(
      () => provider.readRefund(theirs),
      (transaction, seen) => recordFoundRefund(transaction, { account, seen }),
    )
  if (kind === 'dispute')
    return record(
      () => provider.readDispute(theirs),
      (transaction, seen) => recordDispute(transaction, { account, seen, readAt }),
    )
  // The sandbox stores no methods.
  if (paymentAccountId === null) return 'not_ours'
  const known = await context.transaction(organizationId, ({ sql }) => findKnownMethod(sql, { account: paymentAccountId, theirs }))
  const payer = known?.payer
  if (!known || !payer) return 'not_ours'
  return record(
    async () => findMethod(await provider.listMethods(payer), theirs),
    async (transaction, seen) => ((await recordSeenMethod(transaction, { known, seen })) ? 'recorded' : 'later'),
  )
}

/** Returns a method from the list of its customer; null if it was detached, or if the customer was deleted. */
function findMethod(answer: Answer<readonly MethodDetails[]>, theirs: string): Answer<MethodDetails | null> {
  if ('absent' in answer) return { got: null }
  return 'got' in answer ? { got: answer.got.find((method) => method.theirs === theirs) ?? null } : answer
}

const toOutcome = (answer: object): FoundOutcome => ('absent' in answer ? 'not_ours' : 'later')
