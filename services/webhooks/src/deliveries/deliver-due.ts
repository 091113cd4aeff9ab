import { setTimeout as pause } from 'node:timers/promises'
import { job, type JobContext } from '@quittance/runtime/handler'
import { isUnavailable } from '@quittance/runtime/respond'
import { openSecret } from '@quittance/runtime/seal'
import { config } from '../config.ts'
import { attempt, type Outcome } from './attempt.ts'
import { cancel, claimDue, handBack, recordAttempt, renewLease, type Claimed, type Result } from './delivery-queue.ts'
import { judge } from './verdict.ts'

const afterOurFaultMs = 30_000
const recordAgainMs = 250

/**
 * Sends what is due. POSTs go on beside the job, so a slow endpoint keeps nobody waiting; each that ends makes room for the
 * next at once. A replica that dies leaves leases that run out: those events are sent again, under the same id.
 */
export const deliverDue = job({
  name: 'deliver-due',
  // No wake-up tells that a retry is due.
  everyMs: 250,
  async run(context) {
    const room = config().MAX_IN_FLIGHT - context.detached()
    if (room <= 0) return false
    const claimed = await claimDue(context, room)
    for (const delivery of claimed ?? []) context.detach(deliver(context, delivery))
    return claimed === null
  },
})

async function deliver(context: JobContext, claimed: Claimed): Promise<void> {
  if (!claimed.is_wanted) return cancel(context, claimed)
  const renewal = setInterval(() => void renewLease(context, claimed).catch(() => {}), context.leaseMs / 3)
  try {
    const outcome = await send(context, claimed)
    await record(context, { claimed, outcome })
  } catch (error) {
    context.log.error({ err: error, ...named(claimed) }, 'delivery.not-completed')
    await handBack(context, { ...claimed, waitMs: afterOurFaultMs })
  } finally {
    clearInterval(renewal)
  }
}

function send({ now }: JobContext, { url, organization_id, event_id, payload, sealed_secret }: Claimed): Promise<Outcome> {
  const secret = openSecret(sealed_secret, { keys: config().SECRETS_KEY, context: organization_id })
  return attempt({ url, secret, id: event_id, timestamp: Math.floor(now.getTime() / 1000), body: payload })
}

async function record(context: JobContext, { claimed, outcome }: Omit<Result, 'verdict'>): Promise<void> {
  const tries = claimed.attempts + 1
  const ended = new Date(context.now.getTime() + outcome.durationMs)
  const verdict = judge({ outcome, tries, schedule: config().RETRY_SCHEDULE_S, random: Math.random(), now: ended })
  const kept = await whileDatabaseIsAway(context, () => recordAttempt(context, { claimed, outcome, verdict }))
  const result = { http_code: outcome.status, reason: outcome.reason, duration_ms: outcome.durationMs, status: verdict.status }
  context.log.info({ ...named(claimed), attempt: tries, ...result }, kept ? 'delivery.attempted' : 'delivery.result-discarded')
}

/** The endpoint has had the event: a result that is not kept would have it sent once more. */
async function whileDatabaseIsAway<T>({ stopping, leaseMs }: JobContext, work: () => Promise<T>): Promise<T> {
  const end = performance.now() + leaseMs
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!isUnavailable(error) || stopping() || performance.now() > end) throw error
      await pause(recordAgainMs)
    }
  }
}

function named({ id, event_id, event_type, endpoint_id, organization_id }: Claimed) {
  return { delivery_id: id, event_id, event_type, endpoint_id, organization_id }
}
