import { job, type JobContext } from '@quittance/runtime/handler'
import type { ServiceComponent, ServiceResources } from '@quittance/runtime/service'
import { config, type MailSettings } from '../config.ts'
import { sealStored } from '../mailbox/mailbox-routes.ts'
import { sendingJobName } from '../messages/store-message.ts'
import type { ComposedMessage } from '../rendering/compose-message.ts'
import { classifyFailure, describeFailure, isAddressRejected, isSenderRejected } from '../transport/classify-failure.ts'
import { createSmtpTransport, maxSmtpConnections, type SmtpTransport } from '../transport/smtp-transport.ts'
import { createTransportGate, type TransportGate } from '../transport/transport-gate.ts'
import { claimMessage, pollMs, type ClaimedMessage } from './claim-message.ts'
import { prepareMessage } from './prepare-message.ts'
import { recordEnd, recordFailure, recordSent, recordStored } from './record-result.ts'
import { startAttempt } from './start-attempt.ts'
import { recordAcceptedAddress, recordRejectedAddress, undeliverableReason } from './undeliverable-addresses.ts'

/** How mails leave this process: to an SMTP server, or into the mailbox. */
interface Sender {
  settings: MailSettings
  smtp: SmtpTransport | null
  gate: TransportGate
}

/** Starts the connection to the SMTP server, if there is one, and the job that sends mails. */
export async function startSender({ log }: ServiceResources): Promise<ServiceComponent> {
  const settings = config()
  const { transport } = settings
  const smtp = transport.kind === 'smtp' ? createSmtpTransport({ ...settings, ...transport }) : null
  log.info({ transport: transport.kind, ...(transport.kind === 'smtp' && { host: new URL(transport.url).host }) }, 'transport.selected')
  const sender = { settings, smtp, gate: createTransportGate() }
  return {
    name: 'sender',
    jobs: [createSendingJob(sender)],
    close: () => smtp?.close(),
  }
}

/** How long a stop waits for the SMTP server, which may take minutes: less than the limit of a stop. */
const maxStopPatienceMs = 10_000

function createSendingJob(sender: Sender) {
  return job({
    name: sendingJobName,
    everyMs: () => sender.gate.remainingMs() || pollMs,
    concurrency: maxSmtpConnections,
    run: (context) => sendNext(context, sender),
  })
}

/** Sends the next due mail. Returns whether there may be more. */
async function sendNext(context: JobContext, sender: Sender): Promise<boolean> {
  if (context.isStopping() || !sender.gate.enter()) return false
  let claimed: ClaimedMessage | null = null
  try {
    claimed = await claimMessage(context)
    if (!claimed) return false
    if (claimed.has_more) context.runAgain()
    await sendClaimed(context, { claimed, sender })
    // Later mails have woken the job. If the gate refused that run, they wait for the poll.
    return claimed.has_more
  } finally {
    sender.gate.released()
  }
}

interface Sending {
  claimed: ClaimedMessage
  sender: Sender
}

async function sendClaimed(context: JobContext, { claimed, sender }: Sending): Promise<void> {
  const { settings } = sender
  const fields = { message_id: claimed.id, kind: claimed.kind, organization_id: claimed.organization_id, attempt: claimed.attempts }
  const prepared = await prepareMessage(claimed, settings)
  switch (prepared.outcome) {
    case 'disabled':
      await recordEnd(context, claimed, { status: 'disabled', reason: null })
      return
    case 'undeliverable':
      await recordEnd(context, claimed, { status: 'failed', reason: undeliverableReason })
      context.log.info(fields, 'message.undeliverable')
      return
    case 'unknown':
      await recordFailure(context, claimed, { reason: prepared.reason, schedule: settings.MAIL_RETRY_SCHEDULE_S, kind: 'unknown' })
      context.log.info({ ...fields, reason: prepared.reason }, 'message.recipient-unknown')
      return
    case 'invalid':
      await recordEnd(context, claimed, { status: 'failed', reason: prepared.reason })
      context.log.error({ ...fields, reason: prepared.reason }, 'message.invalid')
      return
    case 'ready':
      await deliver(context, { claimed, sender, message: prepared.message })
  }
}

async function deliver(context: JobContext, { claimed, sender, message }: Sending & { message: ComposedMessage }): Promise<void> {
  const { smtp, gate, settings } = sender
  const fields = { message_id: claimed.id, kind: claimed.kind, organization_id: claimed.organization_id, attempt: claimed.attempts }
  if (smtp === null) {
    const { recipient, subject, text, html, source } = message
    const stored = { recipient, subject, text, html, source: source.toString('utf8') }
    await recordStored(context, claimed, sealStored(claimed.id, stored, settings))
    return
  }
  const attempt = startAttempt(context, { claimed, patienceMs: Math.min(settings.SMTP_TIMEOUT_MS, maxStopPatienceMs) })
  // The reply may take minutes: after an outage, the next mail is tried before it arrives.
  const onComplete = () => gate.released()
  try {
    await smtp.send(message, { ended: attempt.ended, onComplete })
  } catch (error) {
    const failure = classifyFailure(error)
    const reason = describeFailure(error)
    if (message.signature !== null && isSenderRejected(error)) {
      context.log.warn({ ...fields, sender_id: claimed.sender_id, reason }, 'sender.rejected')
      return await sendClaimed(context, { claimed: { ...claimed, sender_id: null }, sender })
    }
    if (failure === 'unavailable') gate.failed()
    // A server that is slow with one mail proves nothing about others.
    else if (failure !== 'unanswered') gate.succeeded()
    if (isAddressRejected(error) && (await recordRejectedAddress(context, claimed))) context.log.warn(fields, 'address.undeliverable')
    if (failure === 'rejected') await recordEnd(context, claimed, { status: 'failed', reason })
    else await recordFailure(context, claimed, { reason, schedule: settings.MAIL_RETRY_SCHEDULE_S, kind: failure })
    context.log.warn({ ...fields, reason }, failure === 'unavailable' ? 'transport.unavailable' : `message.${failure}`)
    return
  } finally {
    attempt.end()
  }
  gate.succeeded()
  const isRecorded = await recordSent(context, claimed)
  await recordAcceptedAddress(context, claimed)
  context.log.info(fields, isRecorded ? 'message.sent' : 'message.lease-lost')
}
