import type { Capabilities } from '../providers/provider.ts'
import { scheduleCheck, scheduleMisconfigured, scheduleRequested } from './check-schedule.ts'
import { close } from './fold.ts'
import { nextCall, type NextCall } from './next-call.ts'
import type { PaymentProgress } from './payment-progress.ts'
import { recordSend, type CallOutcome } from './record-answer.ts'

/** Time of the database, a number between 0 and 1 that varies waits, and how long a submission at the provider may take effect. */
export interface Moment {
  now: Date
  random: number
  settlesWithinMs?: number
}

/** What is known when a payment is planned. */
export interface PlanSituation extends Moment {
  capabilities: Pick<Capabilities, 'replayMs' | 'settlesWithinMs'>
  /** Whether the provider knows the payer. */
  hasPayer: boolean
  /** Whether a check of a settled payment was requested. */
  isRequested: boolean
  /** Whether it was proven in this run that the provider has no object of the payment. */
  isAbsent: boolean
  /** The call before in this run; null for the first. */
  previous: { call: NextCall; outcome: CallOutcome } | null
}

/** The next call with the progress to commit before it; without one, the progress to commit and when to check again. */
export type Plan = { progress: PaymentProgress; nextCheckAt: Date | null; call: NextCall | null }

/** Plans the next call of a payment, or when to check it again. Pure. */
export function planCall(payment: PaymentProgress, situation: PlanSituation): Plan {
  const { now, random, previous, capabilities } = situation
  const moment = { now, random, settlesWithinMs: capabilities.settlesWithinMs }
  const planned = nextCall(payment, situation)
  const progress = planned.step === 'close' ? close(payment, planned.reason) : payment
  const call = planned.step === 'close' ? nextCall(progress, { ...situation, hasPayer: true }) : planned
  if (call.step === 'none' || (previous && !isProgress(previous, call)))
    return { progress, call: null, nextCheckAt: computeNextCheck(progress, { outcome: previous?.outcome ?? null, ...moment }) }
  const sent = recordSend(progress, call, now)
  return { progress: sent, call, nextCheckAt: scheduleCheck(sent, moment) ?? scheduleRequested(sent, moment) }
}

/** Whether the next call follows at once: a call without an answer, and the same call again, wait for their time. */
function isProgress({ call, outcome }: NonNullable<PlanSituation['previous']>, next: NextCall): boolean {
  if (outcome && 'unknown' in outcome) return false
  if (outcome && 'misconfigured' in outcome) return next.step !== call.step && ['cancel', 'find', 'fail', 'payer'].includes(next.step)
  return next.step !== call.step && next.step !== 'read'
}

/** Returns when to check a payment again after the outcome of a call; null once it is settled. */
export function computeNextCheck(progress: PaymentProgress, { outcome, ...moment }: Moment & { outcome: CallOutcome }): Date | null {
  const scheduled = scheduleCheck(progress, moment)
  if (outcome === null || 'payer' in outcome) return scheduled
  // A settled payment is read because something may have changed: that is not forgotten while there is no answer.
  if (scheduled === null) return 'got' in outcome || 'absent' in outcome ? null : scheduleRequested(progress, moment)
  if ('misconfigured' in outcome && progress.state !== 'closing') return scheduleMisconfigured(progress.checks, moment)
  if ('unknown' in outcome && outcome.retryAfterMs !== null) return new Date(moment.now.getTime() + outcome.retryAfterMs)
  return scheduled
}

/** Whether an outcome can end the payment: then everything that follows is locked before the payment. */
export function mayBeSettled(call: NextCall, outcome: CallOutcome): boolean {
  if (call.step === 'fail') return true
  return outcome !== null && 'got' in outcome && (outcome.got.is === 'succeeded' || outcome.got.is === 'canceled')
}
