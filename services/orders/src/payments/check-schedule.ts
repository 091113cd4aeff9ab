import { actionEnd } from './next-call.ts'
import type { PaymentProgress } from './payment-progress.ts'

const [second, minute, hour, day] = [1_000, 60_000, 3_600_000, 86_400_000]

/** Waits between checks of a payment without an answer, and of one in progress at the provider; the last one repeats. */
export const unansweredWaits = [1, 5, 15, 60, 300, 1_800]
  .map((seconds) => seconds * second)
  .concat([2, 6, 12, 24].map((hours) => hours * hour))
export const progressWaits = [minute, 10 * minute, hour, 6 * hour, day]
const closingWaits = [5 * second, minute, 10 * minute, hour, day]

/** After this time without any answer, a payment is quarantined. */
export const quarantineAfterMs = day

interface Draw {
  now: Date
  /** Between 0 and 1: varies waits by 10 %, so that checks do not come together. */
  random: number
  /** Of the provider; without one, an unknown submission has no check at this time. */
  settlesWithinMs?: number
}

/** Returns when to check a payment again; null once it is settled. */
export function scheduleCheck(payment: PaymentProgress, { now, random, settlesWithinMs }: Draw): Date | null {
  if (payment.state === 'failed' || payment.state === 'succeeded') return null
  const waitMs = chooseWait(payment)
  const varied = Math.round(waitMs * (0.9 + 0.2 * random))
  const next = new Date(now.getTime() + varied)
  if (payment.quarantineReason !== null) return next
  if (payment.state === 'submitted' && payment.sentAt && settlesWithinMs !== undefined)
    return chooseEarlier(next, { now, at: payment.sentAt.getTime() + settlesWithinMs })
  if (payment.state !== 'requires_action') return next
  const end = actionEnd(payment)
  return payment.checks === 0 && next < end ? next : end > now ? end : now
}

/** An unknown submission is also checked at the time from which an untouched object proves that it came to nothing. */
function chooseEarlier(next: Date, { now, at }: { now: Date; at: number }): Date {
  return at > now.getTime() && at < next.getTime() ? new Date(at) : next
}

function chooseWait({ state, checks, checkAfterMs, quarantineReason }: PaymentProgress): number {
  if (quarantineReason !== null) return day
  if (state === 'closing') return waitAt(closingWaits, checks)
  if (state === 'processing') return checkAfterMs ?? waitAt(progressWaits, checks)
  if (state === 'requires_action') return minute
  return waitAt(unansweredWaits, checks)
}

/** Returns when to read a settled payment again whose requested check had no answer. */
export function scheduleRequested({ checks }: PaymentProgress, { now, random }: Draw): Date {
  return new Date(now.getTime() + Math.round(waitAt(unansweredWaits, Math.max(2, checks)) * (0.9 + 0.2 * random)))
}

/**
 * Returns a check that was requested while a call was in progress: the row no longer has the one that was stored with the call. The answer may be
 * older than the reason of the request.
 */
export function findRequestedCheck(stored: Date | null | undefined, planned: Date | null): Date | null {
  return stored && stored.getTime() !== planned?.getTime() ? stored : null
}

/** Returns when to try again after an answer that only another configuration can change. */
export function scheduleMisconfigured(checks: number, { now, random }: Draw): Date {
  return new Date(now.getTime() + Math.round(waitAt(progressWaits, checks) * (0.9 + 0.2 * random)))
}

/** Returns a wait of a list; the last one repeats. */
export function waitAt(waits: readonly number[], index: number): number {
  return waits[Math.min(index, waits.length - 1)] as number
}
