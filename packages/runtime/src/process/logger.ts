import { destination, pino, stdSerializers, stdTimeFunctions, type DestinationStream, type Logger } from 'pino'

export type { Logger } from 'pino'

/** Keys whose values are never logged, at the top level and one level deep. */
const secret = new Set([
  'password',
  'secret',
  'token',
  'authorization',
  'client_secret',
  'cookie',
  'DATABASE_URL',
  'MIGRATION_DATABASE_URL',
  'NATS_URL',
])

/**
 * Creates a logger that writes JSON lines to standard output, one per unit of work. Lines are written in blocks, at the latest after 200 ms
 * and on exit.
 */
export function createLogger(name: string, level: string): Logger {
  return pino(
    {
      level,
      base: { service: name },
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }), log: redactFields },
      serializers: { err: serializeError },
      messageKey: 'event',
    },
    (output ??= openOutput()),
  )
}

/** Node attaches a text that is not a URL to the error, and addresses of servers contain passwords. */
function serializeError(error: Error): object {
  const serialized = stdSerializers.err(error)
  if (serialized?.['code'] === 'ERR_INVALID_URL') serialized['input'] = '[redacted]'
  return serialized
}

/** One for all loggers of the process, so that their blocks follow each other. */
let output: LogOutput | undefined
const flushAfterMs = 200
/** A reader that does not read delays the end of a process by at most this; lines that it has not read are lost. */
const lastFlushMs = 5_000

interface LogOutput extends DestinationStream {
  /** Writes the lines so far; `done` is called with or without success. */
  flush(done: () => void): void
}

let ending: Promise<never> | undefined

/**
 * Ends the process once its lines are written, or cannot be; the first code counts. `process.exit` alone writes them synchronously, and the
 * library repeats that without end if nothing reads the pipe any more.
 */
export function exitProcess(code: number): Promise<never> {
  return (ending ??= flushAndExit(code))
}

async function flushAndExit(code: number): Promise<never> {
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), lastFlushMs)
  await new Promise<void>((resolve) => {
    if (output) output.flush(resolve)
    else resolve()
  })
  process.exit(code)
}

/** The periodic flush of the library writes five times a second even if there is no line: three percent of a core for the whole system. */
function openOutput(): LogOutput {
  const target = destination({ dest: 1, sync: false, minLength: 8_192 })
  let flushing: NodeJS.Timeout | undefined
  return {
    write(line) {
      target.write(line)
      flushing ??= setTimeout(() => {
        flushing = undefined
        target.flush()
      }, flushAfterMs).unref()
    },
    flush: (done) => target.flush(() => done()),
  }
}

/** Copies the fields only if one has to be redacted: pino's own redaction costs more than the rest of the line. */
function redactFields(fields: Record<string, unknown>): Record<string, unknown> {
  let safe = fields
  for (const key in fields) {
    const value = fields[key]
    const logged = secret.has(key) ? '[redacted]' : typeof value === 'object' && value !== null ? redactNested(value) : value
    if (logged === value) continue
    if (safe === fields) safe = { ...fields }
    safe[key] = logged
  }
  return safe
}

function redactNested(value: object): object {
  for (const key in value) {
    if (secret.has(key))
      return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, secret.has(name) ? '[redacted]' : each]))
  }
  return value
}
