import type { Answer, Intent, RefundIntent, SeenRefund } from '../../src/providers/provider.ts'
import type { PlanSituation } from '../../src/payments/plan-call.ts'
import type { NextCall } from '../../src/payments/next-call.ts'
import type { RefundCall } from '../../src/refunds/refund-progress.ts'
import type { Draws } from './draws.ts'
import type { Rules } from './rules.ts'
import { replayMs, settlesWithinMs, type SimulatedProvider } from './simulated-provider.ts'
import type { PaymentRow, RefundRow, SimulatedStore } from './simulated-store.ts'
import { mayBeSettled } from '../../src/payments/plan-call.ts'
import type { CallOutcome, Recorded } from '../../src/payments/record-answer.ts'

const leaseMs = 30_000

/** What the drivers need of a history. */
export interface DriveWorld {
  draws: Draws
  rules: Rules
  store: SimulatedStore
  provider: SimulatedProvider
  now: number
  /** Whether the process dies at this point. */
  isKilled(): boolean
  note(text: string): void
  settle(row: PaymentRow, recorded: Recorded, nextCheckAt: Date | null): void
  settleRefund(row: RefundRow, progress: RefundRow['progress'], nextCheckAt: Date | null): void
}

/** Drives a payment as `drive-payment.ts` does: commit, call, commit. The process may die between two of them. */
export function driveSimulated(world: DriveWorld, row: PaymentRow): void {
  const { draws, rules, store } = world
  row.leasedUntil = world.now + leaseMs
  let isAbsent = false
  let previous: PlanSituation['previous'] = null
  for (;;) {
    const at = { now: new Date(world.now), random: draws.next() }
    const situation = {
      capabilities: { replayMs, settlesWithinMs },
      hasPayer: true,
      isAbsent,
      isRequested: !previous && row.nextCheckAt !== null,
    }
    const { call, progress, nextCheckAt } = rules.planCall(row.progress, { ...at, ...situation, previous })
    store.savePayment(row, call ? progress : { ...progress, checks: progress.checks + 1 }, nextCheckAt)
    if (!call) break
    if (world.isKilled()) return
    const readAt = new Date(world.now)
    const outcome = makeCall(world, row, call)
    world.note(`${row.progress.id} ${call.step} ${describe(outcome)}`)
    world.now += outcome && 'unknown' in outcome && outcome.sent ? 20_000 : draws.between(50, 800)
    if (world.isKilled()) return
    row.leasedUntil = world.now + leaseMs
    const expected = {
      ours: row.progress.id,
      theirs: row.progress.theirs,
      account: 'account',
      mode: 'test',
      money: row.progress.money,
    } as const
    const now = new Date(world.now)
    const recorded = rules.recordOutcome(row.progress, { call, outcome, readAt, now, expected, isAbsent })
    const next = rules.computeNextCheck(recorded.payment, { now, random: draws.next(), settlesWithinMs, outcome })
    if (mayBeSettled(call, outcome) || recorded.effects.length > 0) world.settle(row, recorded, next)
    else store.savePayment(row, recorded.payment, next)
    isAbsent = recorded.isAbsent
    previous = { call, outcome }
  }
  row.leasedUntil = 0
}

function makeCall({ provider, rules, now }: DriveWorld, row: PaymentRow, call: NextCall): CallOutcome {
  const { id, money, theirs, initiator, checks } = row.progress
  const { kind } = row.progress
  const key = (step: string, number: number) => rules.formatCallKey(kind === 'charge' ? 'pay' : 'setup', { id, step, number })
  const buyerPresent = initiator !== 'schedule'
  const intent = { id, kind, money, payer: 'payer', keep: true, buyerPresent, source: { method: String(row.methodId) } } as Intent
  if (call.step === 'prepare') return provider.prepare(intent, key('prepare', call.preparation), now)
  if (call.step === 'submit') return provider.submit({ theirs: theirs as string, intent, key: key('submit', call.submission) }, now)
  if (call.step === 'cancel') return provider.cancel(theirs as string, key('cancel', 1 + checks), now)
  if (call.step === 'find') return provider.findByOurId(id, now)
  return call.step === 'read' ? provider.read(theirs as string, now) : null
}

/** Drives a refund as `drive-refund.ts` does. */
export function driveSimulatedRefund(world: DriveWorld, row: RefundRow): void {
  const { draws, rules, store } = world
  row.leasedUntil = world.now + leaseMs
  let isAbsent = false
  let previous: { call: RefundCall; answer: Answer<SeenRefund> } | null = null
  for (;;) {
    const at = { now: new Date(world.now), random: draws.next() }
    const { call, progress, nextCheckAt } = rules.planRefundCall(row.progress, { ...at, replayMs, isAbsent, previous })
    store.saveRefund(row, progress, nextCheckAt)
    if (!call) break
    if (world.isKilled()) return
    const readAt = new Date(world.now)
    const answer = callRefund(world, row, call)
    world.note(`refund ${row.progress.id} ${call.step} ${describe(answer)}`)
    world.now += 'unknown' in answer && answer.sent ? 20_000 : draws.between(50, 800)
    if (world.isKilled()) return
    const money = { amount: row.amount + row.taxAmount, currency: 'usd' }
    const expected = { ours: row.progress.id, theirs: row.progress.theirs, money, account: 'account', mode: 'test' } as const
    const now = new Date(world.now)
    const recorded = rules.recordRefundAnswer(row.progress, { call, answer, readAt }, { now, expected })
    const checked = 'got' in answer ? { ...recorded.refund, checks: recorded.refund.checks + 1 } : recorded.refund
    world.settleRefund(row, checked, rules.scheduleRefundCheck(recorded.refund, { now, random: draws.next() }))
    if ('got' in answer) break
    isAbsent = recorded.isAbsent
    previous = { call, answer }
  }
  row.leasedUntil = 0
}

function callRefund({ provider, rules, now }: DriveWorld, row: RefundRow, call: RefundCall): Answer<SeenRefund> {
  const { id, theirs } = row.progress
  const money = { amount: row.amount + row.taxAmount, currency: 'usd' }
  const payment = { id: row.payment.progress.id, theirs: row.payment.progress.theirs as string, charge: null }
  const intent: RefundIntent = { id, payment, money, reason: 'other', references: { organization: 'o', order: 'o' } }
  if (call.step === 'submit')
    return provider.refund(intent, rules.formatCallKey('refund', { id, step: 'submit', number: call.submission }), now)
  return theirs === null ? provider.findRefund(id, now) : provider.readRefund(theirs, now)
}

function describe(outcome: CallOutcome | Answer<SeenRefund>): string {
  if (outcome === null) return 'no call'
  if ('got' in outcome) return outcome.got.is
  if ('unknown' in outcome) return `${outcome.unknown} ${outcome.sent ? '' : 'not '}sent`
  return 'absent' in outcome ? 'absent' : 'misconfigured'
}
