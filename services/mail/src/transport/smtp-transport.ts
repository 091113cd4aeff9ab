import { isLoopback } from '@quittance/contracts/return-url'
import { createTransport } from 'nodemailer'
import DKIM, { type DKIMOptions } from 'nodemailer/lib/dkim'
import type { ComposedMessage } from '../rendering/compose-message.ts'
import type { MailSettings } from '../config.ts'
import { MessageUnanswered } from './classify-failure.ts'
import { watchProgress, type SendingProgress } from './watch-progress.ts'

export interface SmtpAttempt {
  /** Ends the attempt. */
  ended: AbortSignal
  /** Called once the whole message has left. */
  onComplete(): void
}

/** A connection to the SMTP server. */
export interface SmtpTransport {
  /**
   * Resolves when the server has accepted the message. Rejects with `MessageUnanswered` if the server has it and did not reply in time or
   * before the signal, and with the error of the client otherwise.
   */
  send(message: ComposedMessage, attempt: SmtpAttempt): Promise<void>
  close(): void
}

/** Maximum number of connections of a replica: one for each mail that is sent at the same time. */
export const maxSmtpConnections = 5

const connectTimeoutMs = 10_000

type SmtpSettings = Pick<
  MailSettings,
  'SMTP_TIMEOUT_MS' | 'SMTP_REPLY_TIMEOUT_MS' | 'MAIL_RATE_PER_SECOND' | 'BOUNCE_ADDRESS' | 'DKIM_PRIVATE_KEY' | 'DKIM_SELECTOR'
> & {
  url: string
  from: string
}

/** Header fields that a signature covers, beside those that RFC 6376 names; one that is absent cannot be added later. */
const signedFields =
  'From:Reply-To:Subject:Date:Message-ID:To:Cc:MIME-Version:Content-Type:Content-Transfer-Encoding:Auto-Submitted:List-Unsubscribe:List-Unsubscribe-Post'

function createOwnSignature({ DKIM_PRIVATE_KEY: key, DKIM_SELECTOR: keySelector, from }: SmtpSettings): DKIMOptions | null {
  if (!key) return null
  const privateKey = key.export({ type: 'pkcs8', format: 'pem' }) as string
  return { domainName: from.slice(from.lastIndexOf('@') + 1), keySelector, privateKey }
}

/** A message that is under way, by its signal. */
interface Underway {
  progress: SendingProgress
  signature: DKIMOptions | null
}

/** Whether the client stopped waiting, rather than the connection ended. */
function isWaitEnded(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ETIMEDOUT' || error.code === 'EABORT')
}

/**
 * Creates the transport. TLS is required, with a verified certificate, except on loopback. One attempt of a message is one conversation with
 * the server: a repetition belongs to the job, which counts it.
 */
export function createSmtpTransport({ url, from, ...settings }: SmtpSettings): SmtpTransport {
  const { protocol, hostname, port, username, password } = new URL(url)
  const isSecure = protocol === 'smtps:'
  const transporter = createTransport({
    pool: true,
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port) || (isSecure ? 465 : 587),
    secure: isSecure,
    requireTLS: !isLoopback(hostname),
    ignoreTLS: isLoopback(hostname) && !isSecure,
    tls: { minVersion: 'TLSv1.2', rejectUnauthorized: !isLoopback(hostname) },
    ...(username && { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
    maxConnections: maxSmtpConnections,
    maxRequeues: 0,
    rateDelta: 1_000,
    rateLimit: settings.MAIL_RATE_PER_SECOND,
    connectionTimeout: connectTimeoutMs,
    greetingTimeout: connectTimeoutMs,
    // The limit of a socket is that of the reply, also while it is idle.
    idleTimeout: settings.SMTP_TIMEOUT_MS,
    socketTimeout: Math.max(settings.SMTP_TIMEOUT_MS, settings.SMTP_REPLY_TIMEOUT_MS),
    // Its log would contain addresses and codes.
    logger: false,
    debug: false,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  // Errors of idle connections; those of a message reject its promise.
  transporter.on('error', () => {})
  const underway = new WeakMap<AbortSignal, Underway>()
  // The client itself would sign after this step. Its signature needs the whole message, so the step would see the end before the server.
  transporter.use('stream', ({ data, message }, done) => {
    const sending = data.signal && underway.get(data.signal)
    if (sending)
      message.processFunc((source) =>
        sending.progress.observe(
          sending.signature ? new DKIM({ ...sending.signature, headerFieldNames: signedFields }).sign(source) : source,
        ),
      )
    done()
  })
  const ownSignature = createOwnSignature({ url, from, ...settings })
  return {
    async send({ recipient, source, signature }, { ended, onComplete }) {
      const progress = watchProgress(settings.SMTP_TIMEOUT_MS, onComplete)
      const signal = AbortSignal.any([progress.stalled, ended])
      underway.set(signal, { progress, signature: signature ?? ownSignature })
      try {
        await transporter.sendMail({ envelope: { from: settings.BOUNCE_ADDRESS ?? from, to: [recipient] }, raw: source, signal })
      } catch (error) {
        if (progress.isComplete() && isWaitEnded(error)) throw new MessageUnanswered()
        throw signal.aborted && isWaitEnded(error) ? signal.reason : error
      } finally {
        progress.end()
      }
    },
    close: () => transporter.close(),
  }
}
