import { ErrorCode } from 'nats'

const { ServerOptionNotAvailable: noTls, Timeout: timeout } = ErrorCode as Readonly<Record<string, string>>

/** Codes of OpenSSL and Node for a certificate that is not accepted. */
const certificateCodes = /CERT|^UNABLE_TO_|^INVALID_(CA|PURPOSE)$|^PATH_LENGTH_EXCEEDED$|^HOSTNAME_MISMATCH$/

/** Whether a server was reached but not trusted, which waiting does not change: its certificate is not accepted, or it has no TLS. */
export function isTrustError(error: unknown): boolean {
  const code = readCode(error)
  return code === noTls || certificateCodes.test(code)
}

/** Returns the reason of a failed attempt to connect, in one line. The client library names some reasons only by a code. */
export function describeConnectError(error: unknown): string {
  const { message, chainedError } = error as Error & { chainedError?: Error }
  const code = readCode(error)
  if (code === noTls) return 'the server does not offer TLS'
  if (code === timeout) return 'the server does not reply'
  return [message, chainedError?.message].filter(Boolean).join(': ')
}

function readCode(error: unknown): string {
  const { code } = Object(error) as { code?: unknown }
  return typeof code === 'string' ? code : ''
}
