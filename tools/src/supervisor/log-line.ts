/** Fields that are shown elsewhere in the line, or are of no use to a reader. */
const hidden = new Set(['level', 'time', 'service', 'event', 'pid', 'hostname', 'err', 'traceparent'])

/** Formats a warning or an error of a service as one readable line; returns null for lower levels and for other output. */
export function formatLogLine(line: string): string | null {
  const entry = parse(line)
  if (!entry || !['warn', 'error', 'fatal'].includes(String(entry.level))) return null
  const error = entry.err as { message?: string } | undefined
  const fields = Object.entries(entry).flatMap(([key, value]) => (hidden.has(key) ? [] : [`${key}=${shorten(value)}`]))
  return [entry.level, entry.event, error?.message && `(${joinLines(error.message)})`, ...fields].filter(Boolean).join(' ')
}

/** The lines after the first one name the invalid settings. Other messages of several lines may be long, such as those of a statement. */
const maxMessageCharacters = 600

function joinLines(message: string): string {
  const [first = '', ...others] = message
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
  const all = [first, others.join('; ')].filter(Boolean).join(first.endsWith(':') ? ' ' : '; ')
  return shorten(all, maxMessageCharacters)
}

function parse(line: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' ? (value as Record<string, unknown> | null) : null
  } catch {
    return null
  }
}

function shorten(value: unknown, maxCharacters = 80): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > maxCharacters ? `${text.slice(0, maxCharacters - 1)}…` : text
}
