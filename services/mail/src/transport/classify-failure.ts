/**
 * What a failed attempt means. `rejected`: the server rejected this mail for good. `deferred`: it asks for another attempt. `unavailable`:
 * there is no server to ask, or it rejects our credentials; this concerns every mail. `unanswered`: the server has the whole mail and may have
 * accepted it.
 */
export type FailureKind = 'rejected' | 'deferred' | 'unavailable' | 'unanswered'

/** The server did not reply to the whole message in time. */
export class MessageUnanswered extends Error {
  constructor() {
    super('The SMTP server did not confirm the complete mail in time. It may have been delivered')
  }
}

interface SmtpError {
  code?: unknown
  command?: unknown
  responseCode?: unknown
  response?: unknown
  message?: unknown
}

/** Commands that concern one mail; a rejection of others concerns the connection. */
const mailCommands = /^(MAIL FROM|RCPT TO|DATA)\b/

/** Enhanced codes with which large providers reject every mail until the next day: the limit of the account is reached. */
const sendingLimitCodes = /^5\d{2}[ -]5\.(?:4\.5|1\.90)\b/

/** Classifies an error of the SMTP client. */
export function classifyFailure(error: unknown): FailureKind {
  if (error instanceof MessageUnanswered) return 'unanswered'
  const { command, responseCode, response } = (error ?? {}) as SmtpError
  if (typeof responseCode !== 'number' || typeof command !== 'string' || !mailCommands.test(command)) return 'unavailable'
  // 421: the server closes the connection. 530, 534, 535, 538: it does not accept our credentials.
  if ([421, 530, 534, 535, 538].includes(responseCode)) return 'unavailable'
  if (typeof response === 'string' && sendingLimitCodes.test(response)) return 'deferred'
  return responseCode >= 500 ? 'rejected' : 'deferred'
}

/** Enhanced codes (RFC 3463) of rejections that would meet any recipient: of the sender, the system, the protocol or a policy. */
const codesBesideAddress = /^\d{3}[ -]5\.(?:1\.[78]|[357]\.\d{1,3})\b/

/** Whether a rejection is about the address, whatever the mail is. */
export function isAddressRejected(error: unknown): boolean {
  const { command, response } = (error ?? {}) as SmtpError
  if (classifyFailure(error) !== 'rejected' || typeof command !== 'string' || !command.startsWith('RCPT TO')) return false
  return typeof response !== 'string' || !codesBesideAddress.test(response)
}

/** Whether a rejection may be about the sender: providers accept the addresses only that their customer has verified with them. */
export function isSenderRejected(error: unknown): boolean {
  const { command } = (error ?? {}) as SmtpError
  return classifyFailure(error) === 'rejected' && typeof command === 'string' && !command.startsWith('RCPT TO')
}

const maxReasonLength = 500

/** Returns the reply of the server or the error of the connection, as sellers and operators read it. Never contains credentials. */
export function describeFailure(error: unknown): string {
  const { response, code, message } = (error ?? {}) as SmtpError
  const reason =
    typeof response === 'string' && response ? response : `${typeof code === 'string' ? `${code}: ` : ''}${String(message ?? error)}`
  return reason
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim()
    .slice(0, maxReasonLength)
}
