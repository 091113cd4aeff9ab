import { pino, type Logger } from 'pino'

export type { Logger } from 'pino'

/** Keys whose values never reach a log line, wherever they stand one level deep. */
const redacted = ['password', 'secret', 'token', 'authorization', 'client_secret', 'cookie', 'DATABASE_URL', 'NATS_URL']

/** JSON lines on standard output, one per unit of work. */
export function createLogger(name: string, level: string): Logger {
  return pino({
    level,
    base: { service: name },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    messageKey: 'event',
    redact: { paths: redacted.flatMap((key) => [key, `*.${key}`]), censor: '[redacted]' },
  })
}
