import { LockMode } from '@mikro-orm/core'
import type { Transaction } from '@quittance/runtime/handler'
import type { ScopedSql } from '@quittance/sql/sql-runner'
import { callWithDeadline } from '../payments/calls-in-progress.ts'
import { findRequestedCheck } from '../payments/check-schedule.ts'
import { countCall } from '../payments/count-call.ts'
import type { DriveContext } from '../payments/drive-row.ts'
import { Payment } from '../payments/payment.ts'
import { findEndOfPause, pauseIfLimited } from '../payments/pause-account.ts'
import { loadProviderAccount } from '../payments/provider-account.ts'
import { formatCallKey } from '../providers/call-key.ts'
import { openProvider, type ProviderAccount } from '../providers/provider-of.ts'
import type { Answer, PaymentProvider, RefundIntent, SeenRefund } from '../providers/provider.ts'
import { planRefundCall, recordRefundAnswer, scheduleRefundCheck, type RefundCall, type RefundProgress } from './refund-progress.ts'
import { Refund } from './refund.ts'
import { lockRefund, publishOverdueRefund, settleRefund } from './settle-refund.ts'

/** A refund to drive. `lease` is set if the caller holds its lease. */
export interface DrivenRefund {
  id: string
  organizationId: string
  lease: string | null
}

interface PlannedCall {
  call: RefundCall
  provider: PaymentProvider
  intent: RefundIntent
  theirs: string | null
  lease: string
  /** The check that is stored with the call. */
  plannedCheckAt: Date | null
}

const lease = `
  update refunds set leased_until = now() + :lease_ms * interval '1 millisecond', due_at = null
  where id = :id and organization_id = any (:scope_organizations)
    and (leased_until = :held::timestamptz or (leased_until is null or leased_until <= now()) and next_check_at <= now())
  returning leased_until::text as lease, to_json(now())#>>'{}' as now`

/**
 * Makes the calls that a refund needs until it waits for something, each between two transactions, under its lease. A call is committed
 * before it is made, and repeated under the same key after a crash. Never throws.
 */
export async function driveRefund(driven: DrivenRefund, context: DriveContext): Promise<void> {
  const { id, organizationId } = driven
  try {
    let planned = await context.transaction(organizationId, (transaction) => plan(transaction, { driven, context }))
    while (planned) {
      const made = planned
      const readAt = new Date()
      const answer = await callWithDeadline(context.leaseMs, () => makeCall(made))
      countCall({ kind: 'refund', step: made.call.step }, answer)
      if ('unknown' in answer) context.log.warn({ refund_id: id, step: made.call.step, outcome: answer.unknown }, 'refund.answer-unknown')
      planned = await context.transaction(organizationId, (transaction) => record(transaction, { driven, context, made, answer, readAt }))
    }
  } catch (error) {
    context.log.error({ err: error, refund_id: id }, 'refund.not-driven')
  }
}

interface Step {
  driven: DrivenRefund
  context: DriveContext
}

async function plan(transaction: Transaction, { driven, context }: Step): Promise<PlannedCall | null> {
  const held = await takeLease(transaction.sql, { id: driven.id, held: driven.lease, leaseMs: context.leaseMs })
  if (!held) return null
  const refund = await transaction.em.findOneOrFail(Refund, { id: driven.id }, { lockMode: LockMode.PESSIMISTIC_WRITE })
  return continueWith(transaction, { refund, progress: refund.toProgress(), held, context, isAbsent: false, previous: null })
}

interface Answered extends Step {
  made: PlannedCall
  answer: Answer<SeenRefund>
  readAt: Date
}

/** Records an answer with everything that follows from it, and plans the next call. */
async function record(transaction: Transaction, { driven, context, made, answer, readAt }: Answered): Promise<PlannedCall | null> {
  const { order, refund, payment } = await lockRefund(transaction, driven.id)
  const held = await takeLease(transaction.sql, { id: driven.id, held: made.lease, leaseMs: context.leaseMs })
  await pauseIfLimited(transaction.sql, { account: { id: payment.paymentAccountId ?? null }, answer })
  const account = await loadProviderAccount(transaction.sql, payment)
  const before = refund.toProgress()
  const now = held?.now ?? transaction.now
  const expected = {
    // One that was made in the dashboard of the provider was found by its id there, and its metadata has no id.
    ours: before.submission === 0 && 'got' in answer && answer.got.ours === null ? null : refund.id,
    theirs: before.theirs,
    money: made.intent.money,
    account: account.providerAccount,
    mode: account.mode,
  }
  const { refund: after, isAbsent } = recordRefundAnswer(before, { call: made.call, answer, readAt }, { now, expected })
  if (after.quarantineReason !== null && before.quarantineReason === null)
    context.log.error({ refund_id: refund.id, reason: after.quarantineReason }, 'refund.quarantined')
  // Another worker holds the lease: only what was seen is recorded.
  if (!held && !('got' in answer)) return null
  const requestedCheckAt = findRequestedCheck(refund.nextCheckAt, made.plannedCheckAt)
  const nextCheckAt = requestedCheckAt ?? scheduleRefundCheck(after, { now, random: Math.random() })
  if ('got' in answer) {
    // No call follows at once. The row is complete before it is published.
    if (held) refund.leasedUntil = null
    await settleRefund(transaction, { order, refund, progress: { ...after, checks: after.checks + 1 }, nextCheckAt })
    return null
  }
  await settleRefund(transaction, { order, refund, progress: after, nextCheckAt })
  if (!held) return null
  await publishOverdueRefund(transaction, refund)
  const next = await continueWith(transaction, { refund, progress: after, held, context, isAbsent, previous: { call: made.call, answer } })
  if (requestedCheckAt && !next) refund.nextCheckAt = requestedCheckAt
  return next
}

interface Continuation {
  refund: Refund
  progress: RefundProgress
  held: { lease: string; now: Date }
  context: DriveContext
  isAbsent: boolean
  previous: { call: RefundCall; answer: Answer<SeenRefund> } | null
}

/** Stores the next call; null if the refund waits for something, and then releases the lease. */
async function continueWith(transaction: Transaction, continuation: Continuation): Promise<PlannedCall | null> {
  const { refund, progress, held, context, isAbsent, previous } = continuation
  const { now } = held
  const payment = await transaction.em.findOneOrFail(Payment, refund.paymentId)
  const account = await loadProviderAccount(transaction.sql, payment)
  const provider = openProvider(account, context)
  const at = { now, random: Math.random() }
  if (!provider) {
    refund.apply({ ...progress, checks: progress.checks + 1 }, { now, nextCheckAt: scheduleRefundCheck(progress, at) })
    refund.leasedUntil = null
    return null
  }
  const endOfPause = findEndOfPause(account, at)
  const planned = endOfPause
    ? { call: null, progress, nextCheckAt: endOfPause }
    : planRefundCall(progress, { ...at, replayMs: provider.capabilities().replayMs, isAbsent, previous })
  refund.apply(planned.progress, { now, nextCheckAt: planned.nextCheckAt })
  if (planned.call)
    return {
      call: planned.call,
      provider,
      intent: toIntent(refund, payment, account),
      theirs: progress.theirs,
      lease: held.lease,
      plannedCheckAt: planned.nextCheckAt,
    }
  refund.leasedUntil = null
  return null
}

function toIntent(refund: Refund, payment: Payment, { organizationId }: ProviderAccount): RefundIntent {
  const { id, amount, taxAmount, currency, reason, orderId } = refund
  const theirs = payment.providerPayment ?? `sandbox_${payment.id}`
  return {
    id,
    reason,
    money: { amount: amount + taxAmount, currency },
    payment: { id: payment.id, theirs, charge: payment.providerCharge ?? null },
    references: { organization: organizationId, order: orderId },
  }
}

function makeCall({ call, provider, intent, theirs }: PlannedCall): Promise<Answer<SeenRefund>> {
  if (call.step === 'submit')
    return provider.refund(intent, formatCallKey('refund', { id: intent.id, step: 'submit', number: call.submission }))
  return theirs === null ? provider.findRefund(intent) : provider.readRefund(theirs)
}

/** Takes the lease of a refund that is due, or renews it; null while another worker holds it, or if it is not due. */
async function takeLease(
  sql: ScopedSql,
  { id, held, leaseMs }: { id: string; held: string | null; leaseMs: number },
): Promise<{ lease: string; now: Date } | null> {
  const [row] = await sql<{ lease: string; now: string }>('refund.lease', lease, { id, held, lease_ms: leaseMs })
  return row ? { lease: row.lease, now: new Date(row.now) } : null
}
