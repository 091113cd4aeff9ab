import { isLoopback } from '@quittance/contracts/return-url'
import { createTransport } from 'nodemailer'
import type { ComposedMessage } from '../rendering/compose-message.ts'
import type { MailSettings } from '../config.ts'

/** A connection to the SMTP server. */
export interface SmtpTransport {
  /** Resolves when the server has accepted the message; rejects with the error of the client otherwise. */
  send(message: ComposedMessage): Promise<void>
  close(): void
}

/** Maximum number of connections of a replica: one for each mail that is sent at the same time. */
export const maxSmtpConnections = 5

const connectTimeoutMs = 10_000

type SmtpSettings = Pick<
  MailSettings,
  'SMTP_TIMEOUT_MS' | 'MAIL_RATE_PER_SECOND' | 'BOUNCE_ADDRESS' | 'DKIM_PRIVATE_KEY' | 'DKIM_SELECTOR'
> & {
  url: string
  from: string
}

/** Header fields that a signature covers, beside those that RFC 6376 names; one that is absent cannot be added later. */
const signedFields =
  'From:Reply-To:Subject:Date:Message-ID:To:Cc:MIME-Version:Content-Type:Content-Transfer-Encoding:Auto-Submitted:List-Unsubscribe:List-Unsubscribe-Post'

function signing({ DKIM_PRIVATE_KEY: key, DKIM_SELECTOR: keySelector, from }: SmtpSettings) {
  if (!key) return {}
  const privateKey = key.export({ type: 'pkcs8', format: 'pem' }) as string
  return { dkim: { domainName: from.slice(from.lastIndexOf('@') + 1), keySelector, privateKey, headerFieldNames: signedFields } }
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
    ...signing({ url, from, ...settings }),
    ...(username && { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
    maxConnections: maxSmtpConnections,
    maxRequeues: 0,
    rateDelta: 1_000,
    rateLimit: settings.MAIL_RATE_PER_SECOND,
    connectionTimeout: connectTimeoutMs,
    greetingTimeout: connectTimeoutMs,
    socketTimeout: settings.SMTP_TIMEOUT_MS,
    // Its log would contain addresses and codes.
    logger: false,
    debug: false,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  // Errors of idle connections; those of a message reject its promise.
  transporter.on('error', () => {})
  return {
    async send({ recipient, source, signature }) {
      await transporter.sendMail({
        envelope: { from: settings.BOUNCE_ADDRESS ?? from, to: [recipient] },
        raw: source,
        ...(signature && { dkim: { ...signature, headerFieldNames: signedFields } }),
      })
    },
    close: () => transporter.close(),
  }
}
