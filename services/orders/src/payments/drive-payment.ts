import { setTimeout as wait } from 'node:timers/promises'
import { LockMode } from '@mikro-orm/core'
import type { FinishContext, JobContext, Transaction } from '@quittance/runtime/handler'
import { openProvider, type ProviderAccount } from '../providers/provider-of.ts'
import { callProvider, type PreparedCall } from './call-provider.ts'
import { expectFacts } from './check-integrity.ts'
import type { NextCall } from './next-call.ts'
import { Payment } from './payment.ts'
import { findEndOfPause, pauseIfLimited } from './pause-account.ts'
import { takeLease } from './payment-lease.ts'
import type { PaymentProgress } from './payment-progress.ts'
import { computeNextCheck, planCall, type PlanSituation } from './plan-call.ts'
import { loadPayer, savePayer } from '../payers/payers.ts'
import { loadProviderAccount } from './provider-account.ts'
import { mayBeSettled, recordOutcome, type CallOutcome } from './record-answer.ts'
import { lockForSettlement, settlePayment } from './settle-payment.ts'

/** A payment to drive. `lease` is set if the caller holds its lease. */
export interface DrivenPayment {
  id: string
  organizationId: string
  traceparent?: string | null
  lease: string | null
}

export type DriveContext = Pick<JobContext | FinishContext, 'log'> & {
  transaction: JobContext['transaction']
  leaseMs: number
}

/** Wait before looking again at a payment that another worker drives. */
const otherWorkerMs = 200

/** What is known only while a payment is driven. */
interface Memory {
  lease: string | null
  untouchedAt: Date | null
  isAbsent: boolean
}

/** The next call with everything it sends, committed before it is made. */
type Planned = PreparedCall & { memory: Memory }

/**
 * Makes the calls that a payment needs until it waits for something, each between two transactions, under its lease. A call is committed
 * before it is made, so it is repeated under the same key after a crash. With `until`, waits for the first result of the submission until then.
 * Never throws.
 */
export async function drivePayment(driven: DrivenPayment, { context, until }: { context: DriveContext; until?: Date }): Promise<void> {
  for (let { lease } = driven; ; lease = null) {
    const checkAt = await driveOnce({ ...driven, lease }, context).catch((error: unknown) => {
      context.log.error({ err: error, payment_id: driven.id }, 'payment.not-driven')
      return null
    })
    if (!until || !checkAt || checkAt >= until) return
    await wait(Math.max(0, checkAt.getTime() - Date.now()))
  }
}

/** Returns when to continue, if the submission has no result yet. */
async function driveOnce(driven: DrivenPayment, context: DriveContext): Promise<Date | null> {
  const { id, organizationId, traceparent } = driven
  const inTransaction = <T>(work: (transaction: Transaction) => Promise<T>) => context.transaction(organizationId, work, traceparent)
  const memory: Memory = { lease: driven.lease, untouchedAt: null, isAbsent: false }
  const lease = { id, leaseMs: context.leaseMs }
  let planned = await inTransaction((transaction) => plan(transaction, { lease, memory, context }))
  while ('call' in planned) {
    const { call, memory: known } = planned
    const readAt = new Date()
    const answer = call.step === 'fail' ? null : await callProvider(planned, { leaseMs: context.leaseMs })
    if (answer && 'unknown' in answer)
      context.log.warn({ payment_id: id, step: call.step, outcome: answer.unknown }, 'payment.answer-unknown')
    planned = await inTransaction((transaction) => record(transaction, { lease, memory: known, context, call, answer, readAt }))
  }
  return planned.continueAt
}

interface Step {
  lease: { id: string; leaseMs: number }
  memory: Memory
  context: DriveContext
}

type Next = Planned | { continueAt: Date | null }

/** Takes the lease and plans the next call. */
async function plan(transaction: Transaction, { lease, memory, context }: Step): Promise<Next> {
  const held = await takeLease(transaction.sql, { ...lease, held: memory.lease })
  const payment = await transaction.em.findOneOrFail(Payment, { id: lease.id }, { lockMode: LockMode.PESSIMISTIC_WRITE })
  if (!held) return { continueAt: hasResult(payment.toProgress()) ? null : new Date(Date.now() + otherWorkerMs) }
  const account = await loadProviderAccount(transaction.sql, payment)
  return continueWith(transaction, {
    ...{ payment, account, context, now: held.now },
    progress: payment.toProgress(),
    memory: { ...memory, lease: held.lease },
    previous: null,
  })
}

interface Answered extends Step {
  call: NextCall
  answer: CallOutcome
  readAt: Date
}

/** Records an answer with everything that follows from it, and plans the next call. */
async function record(transaction: Transaction, { lease, memory, context, call, answer, readAt }: Answered): Promise<Next> {
  const { em, sql, now } = transaction
  const order = mayBeSettled(call, answer) ? await lockForSettlement(transaction, lease.id) : null
  const held = await takeLease(sql, { ...lease, held: memory.lease })
  const payment = await em.findOneOrFail(Payment, { id: lease.id }, { lockMode: LockMode.PESSIMISTIC_WRITE })
  if (answer && !('payer' in answer)) await pauseIfLimited(sql, { account: { id: payment.paymentAccountId ?? null }, answer })
  const account = await loadProviderAccount(sql, payment)
  const before = { ...payment.toProgress(), untouchedAt: memory.untouchedAt }
  // Another worker has continued: that there is no object was proven for an earlier state only.
  if (answer === null && (!held || before.state !== 'closing' || before.theirs !== null)) return { continueAt: null }
  if (answer && 'payer' in answer) await savePayer(sql, { payment, payer: answer.payer })
  const expected = expectFacts(before, { id: payment.id, account })
  const at = { now: held?.now ?? now, random: Math.random() }
  const recorded = recordOutcome(before, { call, outcome: answer, readAt, now: at.now, expected, isAbsent: memory.isAbsent })
  const progress = recorded.payment
  if (progress.quarantineReason !== before.quarantineReason && progress.quarantineReason !== null)
    context.log.error({ payment_id: payment.id, reason: progress.quarantineReason }, 'payment.quarantined')
  const nextCheckAt = computeNextCheck(progress, { ...at, outcome: answer })
  if (order) await settlePayment(transaction, { order, payment, progress, effects: recorded.effects, nextCheckAt })
  if (!held) {
    // Another worker holds the lease: what was seen is recorded, and that worker makes the next call.
    if (!order && answer && 'got' in answer) payment.apply(progress, { now, nextCheckAt })
    return { continueAt: null }
  }
  return continueWith(transaction, {
    ...{ payment, account, context, progress, now: held.now },
    memory: { lease: held.lease, untouchedAt: progress.untouchedAt, isAbsent: recorded.isAbsent },
    previous: { call, outcome: answer },
  })
}

interface Continuation {
  payment: Payment
  progress: PaymentProgress
  account: ProviderAccount
  memory: Memory
  context: DriveContext
  now: Date
  previous: PlanSituation['previous']
}

/** Stores the progress and the next call, or when to check again. */
async function continueWith(transaction: Transaction, continuation: Continuation): Promise<Next> {
  const { payment, account, context, memory, now, previous } = continuation
  const provider = openProvider(account, context)
  const at = { now, random: Math.random() }
  if (!provider) {
    const nextCheckAt = computeNextCheck(continuation.progress, { ...at, outcome: previous?.outcome ?? null })
    return { continueAt: saveAndStop(payment, continuation.progress, { now, nextCheckAt }) }
  }
  const payer = await loadPayer(transaction.sql, payment)
  const { call, progress, nextCheckAt } = planCall(continuation.progress, {
    ...{ ...at, previous, capabilities: provider.capabilities(), isAbsent: memory.isAbsent, hasPayer: payer.payer !== null },
    isRequested: !previous && Boolean(payment.nextCheckAt),
  })
  if (!call) return { continueAt: saveAndStop(payment, progress, { now, nextCheckAt }) }
  const endOfPause = call.step === 'fail' ? null : findEndOfPause(account, at)
  if (endOfPause) return { continueAt: saveAndStop(payment, continuation.progress, { now, nextCheckAt: endOfPause }) }
  payment.apply(progress, { now, nextCheckAt })
  return { provider, call, memory, payment: toCalled(payment), payer }
}

function toCalled({ id, createdAt, amount, currency, request, providerPayment, checks }: Payment): PreparedCall['payment'] {
  return { id, createdAt, money: { amount, currency }, request, theirs: providerPayment ?? null, checks }
}

/** Stores the progress, and releases the lease. Returns when to continue if the submission has no result yet. */
function saveAndStop(
  payment: Payment,
  progress: PaymentProgress,
  { now, nextCheckAt }: { now: Date; nextCheckAt: Date | null },
): Date | null {
  payment.apply({ ...progress, checks: progress.checks + 1 }, { now, nextCheckAt })
  payment.leasedUntil = null
  return hasResult(progress) ? null : nextCheckAt
}

/** Whether the request of a buyer can be answered: by the result of the submission, or because nothing more is called. */
function hasResult({ state, quarantineReason }: PaymentProgress): boolean {
  return quarantineReason !== null || ['requires_action', 'processing', 'failed', 'succeeded'].includes(state)
}
