/** Fields that are shown elsewhere in the line, or are of no use to a reader. */
const hidden = new Set(['level', 'time', 'service', 'event', 'pid', 'hostname', 'err', 'traceparent'])

/** Formats a warning or an error of a service as one readable line; returns null for lower levels and for other output. */
export function formatLogLine(line: string): string | null {
  const entry = parse(line)
  if (!entry || !['warn', 'error', 'fatal'].includes(String(entry.level))) return null
  const error = entry.err as { message?: string } | undefined
  const fields = Object.entries(entry).flatMap(([key, value]) => (hidden.has(key) ? [] : [`${key}=${shorten(value)}`]))
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

function shorten(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > 80 ? `${text.slice(0, 79)}…` : text
}
