import type { JobContext } from '@quittance/runtime/handler'
import { delayTakeovers, type ClaimedMessage } from './claim-message.ts'
import { renewLease } from './record-result.ts'

/** An attempt that waits for the SMTP server. */
interface Attempt {
  /** Aborted once a stop has waited long enough. */
  ended: AbortSignal
  end(): void
}

interface AttemptOptions {
  claimed: ClaimedMessage
  /** How long a stop waits for the attempt. */
  patienceMs: number
}

const stopPollMs = 250

/** Holds the lease of a mail until `end`, and ends the attempt if the service stops: a kill would leave a mail that is sent again. */
export function startAttempt(context: JobContext, { claimed, patienceMs }: AttemptOptions): Attempt {
  const stop = new AbortController()
  const renew = () => {
    const fields = { message_id: claimed.id, kind: claimed.kind, organization_id: claimed.organization_id, attempt: claimed.attempts }
    renewLease(context, claimed).catch((error: unknown) => {
      delayTakeovers()
      context.log.warn({ ...fields, err: error }, 'message.lease-not-renewed')
    })
  }
  const renewal = setInterval(renew, context.leaseMs / 3)
  let patience: NodeJS.Timeout | undefined
  const check = setInterval(() => {
    if (context.isStopping()) patience ??= setTimeout(() => stop.abort(new Error('The service stops')), patienceMs)
  }, stopPollMs)
  return {
    ended: stop.signal,
    end() {
      clearInterval(renewal)
      clearInterval(check)
      clearTimeout(patience)
    },
  }
}
