/** Fields that stand elsewhere in the line, or tell a person nothing. */
const hidden = new Set(['level', 'time', 'service', 'event', 'pid', 'hostname', 'err', 'traceparent'])

/** A warning or an error of a service in one line for people; null for everything below and for what is not a log line. */
export function humanLine(line: string): string | null {
  const entry = parse(line)
  if (!entry || !['warn', 'error', 'fatal'].includes(String(entry.level))) return null
  const error = entry.err as { message?: string } | undefined
  const fields = Object.entries(entry).flatMap(([key, value]) => (hidden.has(key) ? [] : [`${key}=${brief(value)}`]))
  return [entry.level, entry.event, error?.message && `(${error.message.split('\n')[0]})`, ...fields].filter(Boolean).join(' ')
}

function parse(line: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' ? (value as Record<string, unknown> | null) : null
  } catch {
    return null
  }
}

function brief(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > 80 ? `${text.slice(0, 79)}…` : text
}
