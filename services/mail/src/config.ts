import { createPrivateKey, type KeyObject } from 'node:crypto'
import { isLoopback } from '@quittance/contracts/return-url'
import { readConfig, SecretKeys } from '@quittance/runtime/config'
import { z } from 'zod'

const address = z.url({ protocol: /^https?$/ }).transform((url) => url.replace(/\/+$/, ''))

/** Reads the key at the start: a message must not be sent unsigned because the key cannot be used. */
function readSigningKey(pem: string, context: z.RefinementCtx): KeyObject {
  try {
    const key = createPrivateKey(pem.replaceAll('\\n', '\n'))
    if (key.asymmetricKeyType === 'rsa' && (key.asymmetricKeyDetails?.modulusLength ?? 0) >= 2_048) return key
  } catch {
    // Named below, without the text of the key.
  }
  context.addIssue({ code: 'custom', message: 'must be a private RSA key of at least 2048 bits in PEM' })
  return z.NEVER
}

/** Settings of the service before the check whether mails can go anywhere. */
const fields = {
  BASE_URL: address.prefault('http://127.0.0.1:8080').describe('Public address of the API. Links to documents must start with it.'),
  AUTH_URL: address.optional().describe('Public address of the sign-in pages. Links of account mails must start with it.'),
  PAGES_URL: address.optional().describe('Public address of the pages for buyers; unset, BASE_URL. Links to the portal start with it.'),
  MAIL_KEY: SecretKeys.describe(
    'Key that encrypts secrets in mails until they are sent: 32 bytes in base64. During a rotation several keys, of which the first encrypts.',
  ),
  SMTP_URL: z
    .url({ protocol: /^smtps?$/ })
    .optional()
    .describe(
      'SMTP server: `smtps://user:password@host:465`, or `smtp://…:587` with STARTTLS, which is required except on loopback. Unset: the local mailbox.',
    ),
  MAIL_FROM: z
    .email()
    .optional()
    .describe('Address that mails come from; the name is the seller’s. Required with SMTP_URL; unset, noreply@localhost.'),
  BOUNCE_ADDRESS: z
    .email()
    .optional()
    .describe('Return path to which servers report mails they cannot deliver; unset, MAIL_FROM. This mailbox is not read.'),
  DKIM_PRIVATE_KEY: z
    .string()
    .transform(readSigningKey)
    .optional()
    .describe(
      'RSA key of at least 2048 bits in PEM that signs mails (DKIM), for the domain of MAIL_FROM; line breaks may be written as `\\n`. Unset, only the SMTP server may sign.',
    ),
  DKIM_SELECTOR: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,62}$/)
    .default('quittance')
    .describe('Name of the DKIM key: its public half is the TXT record `‹selector›._domainkey.‹domain of MAIL_FROM›`.'),
  MAIL_DNS_SERVERS: z
    .string()
    .transform((list) => list.split(',').map((server) => server.trim()))
    .refine(
      (servers) => servers.every((server) => /^(\[[0-9a-fA-F:]+\]|[\d.]+)(:\d+)?$/.test(server)),
      'must be addresses, separated by commas',
    )
    .optional()
    .describe(
      'Name servers that are asked about domains of sellers: `address` or `address:port`, separated by commas. Unset: those of the system.',
    ),
  MAILBOX: z
    .enum(['auto', 'open'])
    .default('auto')
    .describe(
      'Mails without SMTP_URL are stored and shown at /mailbox, to every visitor: `auto` allows that where BASE_URL is loopback, `open` everywhere.',
    ),
  MAIL_RATE_PER_SECOND: z.coerce.number().int().min(1).max(1_000).default(20).describe('Maximum mails per second of a replica.'),
  MAIL_RETRY_SCHEDULE_S: z
    .string()
    .default('60,300,1800,7200,28800,86400')
    .transform((list) => list.split(',').map(Number))
    .refine((waits) => waits.every((seconds) => Number.isFinite(seconds) && seconds >= 0), 'must be seconds, separated by commas')
    .describe('Seconds to wait before each retry after a temporary failure; the length of the list is the number of retries.'),
  SMTP_TIMEOUT_MS: z.coerce
    .number()
    .int()
    .positive()
    .default(30_000)
    .describe(
      'Time in milliseconds after which an SMTP connection is closed that is silent before it has the whole mail; the mail is retried.',
    ),
  SMTP_REPLY_TIMEOUT_MS: z.coerce
    .number()
    .int()
    .positive()
    .default(600_000)
    .describe(
      'Time in milliseconds to wait for the reply to a whole mail, which the server may deliver first (RFC 5321: 10 minutes). After it the mail is repeated rarely.',
    ),
}

export const MailConfig = z.object(fields)

/** How mails leave: exactly one of the two. */
export type MailTransport = { kind: 'smtp'; url: string; from: string } | { kind: 'mailbox'; from: string }

/** Settings of the service, with the transport that they determine. */
export interface MailSettings extends z.infer<typeof MailConfig> {
  transport: MailTransport
}

/** Reads the settings; throws if mails could neither be sent nor stored. */
export function config(): MailSettings {
  const settings = readConfig(MailConfig)
  return { ...settings, transport: chooseTransport(settings) }
}

/** Returns how mails leave. Throws without an SMTP server on a public address, where a mailbox would show codes to every visitor. */
export function chooseTransport(settings: z.infer<typeof MailConfig>): MailTransport {
  const { SMTP_URL: url, MAIL_FROM: from, MAILBOX: mailbox, BASE_URL: baseUrl } = settings
  if (url !== undefined) {
    if (from === undefined) throw new Error('MAIL_FROM is not set: SMTP_URL needs the address that mails come from')
    return { kind: 'smtp', url, from }
  }
  if (mailbox === 'open' || isLoopback(new URL(baseUrl).hostname)) return { kind: 'mailbox', from: from ?? 'noreply@localhost' }
  throw new Error(
    `SMTP_URL is not set, and BASE_URL (${baseUrl}) is a public address: mails would be readable by every visitor of /mailbox. ` +
      'Set SMTP_URL and MAIL_FROM, or MAILBOX=open for a closed network',
  )
}
