import { setTimeout as wait } from 'node:timers/promises'
import type { FinishContext, JobContext, Transaction } from '@quittance/runtime/handler'
import { openProvider, type ProviderAccount } from '../providers/provider-of.ts'
import { reportIfRejected } from './account-rejected.ts'
import { callProvider, type PreparedCall } from './call-provider.ts'
import { expectFacts } from './check-integrity.ts'
import { findRequestedCheck } from './check-schedule.ts'
import type { NextCall } from './next-call.ts'
import { findEndOfPause, pauseIfLimited } from './pause-account.ts'
import type { PaymentProgress } from './payment-progress.ts'
import { computeNextCheck, mayBeSettled, planCall, type PlanSituation } from './plan-call.ts'
import { forgetPayer, loadPayer, savePayer, type PayerKey } from '../payers/payers.ts'
import { loadProviderAccount } from './provider-account.ts'
import { recordOutcome, type CallOutcome } from './record-answer.ts'
import type { DrivenRow, RowKind } from './row-kind.ts'

/** A payment or setup to drive. `lease` is set if the caller holds its lease. */
export interface DrivenId {
  id: string
  organizationId: string
  traceparent?: string | null
  lease: string | null
}

export type DriveContext = Pick<JobContext | FinishContext, 'log'> & {
  transaction: JobContext['transaction']
  leaseMs: number
}

/** With `until`, waits for the first result of the submission until then. */
export interface DriveOptions {
  context: DriveContext
  until?: Date
}

/** Wait before looking again at a row that another worker drives. */
const otherWorkerMs = 200

/** What is known only while a row is driven. */
interface Memory {
  lease: string | null
  untouchedAt: Date | null
  isAbsent: boolean
  /** The check that was stored with the call in progress. */
  plannedCheckAt: Date | null
}

/** The next call with everything it sends, committed before it is made. */
type Planned = PreparedCall & { memory: Memory }

/**
 * Makes the calls that a row needs until it waits for something, each between two transactions, under its lease. A call is committed
 * before it is made, so it is repeated under the same key after a crash. Never throws.
 */
export async function driveRow<Row extends DrivenRow, Locked extends object>(
  kind: RowKind<Row, Locked>,
  driven: DrivenId,
  { context, until }: DriveOptions,
): Promise<void> {
  for (let { lease } = driven; ; lease = null) {
    const checkAt = await driveOnce(kind, { ...driven, lease }, context).catch((error: unknown) => {
      context.log.error({ err: error, [kind.idField]: driven.id }, `${kind.name}.not-driven`)
      return null
    })
    if (!until || !checkAt || checkAt >= until) return
    await wait(Math.max(0, checkAt.getTime() - Date.now()))
  }
}

/** Returns when to continue, if the submission has no result yet. */
async function driveOnce<Row extends DrivenRow, Locked extends object>(
  kind: RowKind<Row, Locked>,
  driven: DrivenId,
  context: DriveContext,
): Promise<Date | null> {
  const { id, organizationId, traceparent } = driven
  const inTransaction = <T>(work: (transaction: Transaction) => Promise<T>) => context.transaction(organizationId, work, traceparent)
  const memory: Memory = { lease: driven.lease, untouchedAt: null, isAbsent: false, plannedCheckAt: null }
  const lease = { id, leaseMs: context.leaseMs }
  let planned = await inTransaction((transaction) => plan(transaction, { kind, lease, memory, context }))
  while ('call' in planned) {
    const { call, memory: known, payer } = planned
    const readAt = new Date()
    const answer = call.step === 'fail' ? null : await callProvider(planned, { leaseMs: context.leaseMs })
    if (answer && 'unknown' in answer)
      context.log.warn({ [kind.idField]: id, step: call.step, outcome: answer.unknown }, `${kind.name}.answer-unknown`)
    planned = await inTransaction((transaction) =>
      record(transaction, { kind, lease, memory: known, context, call, payer: payer.payer, answer, readAt }),
    )
  }
  return planned.continueAt
}

interface Step<Row extends DrivenRow, Locked extends object> {
  kind: RowKind<Row, Locked>
  lease: { id: string; leaseMs: number }
  memory: Memory
  context: DriveContext
}

type Next = Planned | { continueAt: Date | null }

/** Takes the lease and plans the next call. */
async function plan<Row extends DrivenRow, Locked extends object>(
  transaction: Transaction,
  { kind, lease, memory, context }: Step<Row, Locked>,
): Promise<Next> {
  const held = await kind.takeLease(transaction.sql, { ...lease, held: memory.lease })
  const row = await kind.lockRow(transaction.em, lease.id)
  if (!held) return { continueAt: hasResult(row.toProgress()) ? null : new Date(Date.now() + otherWorkerMs) }
  const account = await loadProviderAccount(transaction.sql, row)
  const publishChange = kind.watch(transaction, row)
  const next = await continueWith(transaction, {
    row,
    account,
    context,
    now: held.now,
    progress: row.toProgress(),
    memory: { ...memory, lease: held.lease },
    previous: null,
  })
  await publishChange()
  return next
}

interface Answered<Row extends DrivenRow, Locked extends object> extends Step<Row, Locked> {
  call: NextCall
  /** The provider's id of the payer that the call named. */
  payer: string | null
  answer: CallOutcome
  readAt: Date
}

/** Records an answer with everything that follows from it, and plans the next call. */
async function record<Row extends DrivenRow, Locked extends object>(
  transaction: Transaction,
  { kind, lease, memory, context, call, payer, answer, readAt }: Answered<Row, Locked>,
): Promise<Next> {
  const { em, sql, now } = transaction
  const locked = mayBeSettled(call, answer) ? await kind.lockForSettlement(transaction, lease.id) : null
  const held = await kind.takeLease(sql, { ...lease, held: memory.lease })
  const row = await kind.lockRow(em, lease.id)
  if (answer && !('payer' in answer)) await pauseIfLimited(sql, { account: { id: row.paymentAccountId ?? null }, answer })
  const account = await loadProviderAccount(sql, row)
  const publishChange = kind.watch(transaction, row)
  const before = { ...row.toProgress(), untouchedAt: memory.untouchedAt }
  // Another worker has continued: that there is no object was proven for an earlier state only.
  if (answer === null && (!held || before.state !== 'closing' || before.theirs !== null)) return { continueAt: null }
  if (call.step === 'prepare' && answer && 'misconfigured' in answer && answer.misconfigured === 'payer')
    await forgetPayer(sql, { key: toPayerKey(row), payer })
  if (answer && 'payer' in answer) await savePayer(sql, { key: toPayerKey(row), payer: answer.payer })
  const expected = expectFacts(before, { id: row.id, account })
  const at = { now: held?.now ?? now, random: Math.random() }
  const recorded = recordOutcome(before, { call, outcome: answer, readAt, now: at.now, expected, isAbsent: memory.isAbsent })
  const progress = recorded.payment
  if (progress.quarantineReason !== before.quarantineReason && progress.quarantineReason !== null)
    context.log.error({ [kind.idField]: row.id, reason: progress.quarantineReason }, `${kind.name}.quarantined`)
  const requestedCheckAt = findRequestedCheck(row.nextCheckAt, memory.plannedCheckAt)
  const nextCheckAt = requestedCheckAt ?? computeNextCheck(progress, { ...at, outcome: answer })
  await reportIfRejected(transaction, { paymentAccountId: account.id, answer })
  if (locked) await kind.settle(transaction, { locked, row, progress, effects: recorded.effects, nextCheckAt })
  if (!held) {
    // Another worker holds the lease: what was seen is recorded, and that worker makes the next call.
    if (!locked && answer && 'got' in answer) row.apply(progress, { now, nextCheckAt })
    await publishChange()
    return { continueAt: null }
  }
  const next = await continueWith(transaction, {
    row,
    account,
    context,
    progress,
    now: held.now,
    memory: { lease: held.lease, untouchedAt: progress.untouchedAt, isAbsent: recorded.isAbsent, plannedCheckAt: null },
    previous: { call, outcome: answer },
  })
  if (requestedCheckAt && !('call' in next)) row.nextCheckAt = requestedCheckAt
  await publishChange()
  return next
}

interface Continuation {
  row: DrivenRow
  progress: PaymentProgress
  account: ProviderAccount
  memory: Memory
  context: DriveContext
  now: Date
  previous: PlanSituation['previous']
}

/** Stores the progress and the next call, or when to check again. */
async function continueWith(transaction: Transaction, continuation: Continuation): Promise<Next> {
  const { row, account, context, memory, now, previous } = continuation
  const provider = openProvider(account, context)
  const at = { now, random: Math.random() }
  if (!provider) {
    const nextCheckAt = computeNextCheck(continuation.progress, { ...at, outcome: previous?.outcome ?? null })
    return { continueAt: saveAndStop(row, continuation.progress, { now, nextCheckAt }) }
  }
  const payer = await loadPayer(transaction.sql, toPayerKey(row))
  const { call, progress, nextCheckAt } = planCall(continuation.progress, {
    ...at,
    previous,
    capabilities: provider.capabilities(),
    isAbsent: memory.isAbsent,
    hasPayer: payer.payer !== null,
    isRequested: !previous && Boolean(row.nextCheckAt),
  })
  if (!call) return { continueAt: saveAndStop(row, progress, { now, nextCheckAt }) }
  const endOfPause = call.step === 'fail' ? null : findEndOfPause(account, at)
  if (endOfPause) return { continueAt: saveAndStop(row, continuation.progress, { now, nextCheckAt: endOfPause }) }
  row.apply(progress, { now, nextCheckAt })
  return { provider, call, memory: { ...memory, plannedCheckAt: nextCheckAt }, subject: toSubject(row, progress), payer }
}

function toSubject({ id, createdAt, request, checks }: DrivenRow, { kind, money, theirs }: PaymentProgress): PreparedCall['subject'] {
  return { id, kind, createdAt, money, request, theirs, checks }
}

function toPayerKey({ request, paymentAccountId }: DrivenRow): PayerKey {
  return { customerId: request.references.customer, paymentAccountId: paymentAccountId ?? null }
}

/** Stores the progress, and releases the lease. Returns when to continue if the submission has no result yet. */
function saveAndStop(
  row: DrivenRow,
  progress: PaymentProgress,
  { now, nextCheckAt }: { now: Date; nextCheckAt: Date | null },
): Date | null {
  row.apply({ ...progress, checks: progress.checks + 1 }, { now, nextCheckAt })
  row.leasedUntil = null
  return hasResult(progress) ? null : nextCheckAt
}

/** Whether the request of a buyer can be answered: by the result of the submission, or because nothing more is called. */
function hasResult({ state, quarantineReason }: PaymentProgress): boolean {
  return quarantineReason !== null || ['requires_action', 'processing', 'failed', 'succeeded'].includes(state)
}
