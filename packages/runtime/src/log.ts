import { destination, pino, stdTimeFunctions, type Logger } from 'pino'

export type { Logger } from 'pino'

/** Keys whose values never reach a log line, wherever they stand one level deep. */
const secret = new Set(['password', 'secret', 'token', 'authorization', 'client_secret', 'cookie', 'DATABASE_URL', 'NATS_URL'])

/** JSON lines on standard output, one per unit of work; written in blocks, at the latest after a fifth of a second and on exit. */
export function createLogger(name: string, level: string): Logger {
  return pino(
    {
      level,
      base: { service: name },
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }), log: redacted },
      messageKey: 'event',
    },
    destination({ dest: 1, sync: false, minLength: 8_192, periodicFlush: 200 }),
  )
}

/** A copy only where there is something to hide: pino's own redaction costs more than the rest of the line. */
function redacted(fields: Record<string, unknown>): Record<string, unknown> {
  let safe = fields
  for (const key in fields) {
    const value = fields[key]
    const shown = secret.has(key) ? '[redacted]' : typeof value === 'object' && value !== null ? innerRedacted(value) : value
    if (shown === value) continue
    if (safe === fields) safe = { ...fields }
    safe[key] = shown
  }
  return safe
}

function innerRedacted(value: object): object {
  for (const key in value) {
    if (secret.has(key))
      return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, secret.has(name) ? '[redacted]' : each]))
  }
  return value
}
