import { RequestValidationError, type ValidationIssue } from '@quittance/contracts/errors'
import { requestPlace, type Operation } from '@quittance/contracts/operation'
import { z } from 'zod'

/** Escapes in JSON text that may stand for what PostgreSQL cannot keep: NUL, and halves of surrogate pairs. */
const suspicious = /\\u(?:0000|d[89a-f])/i

/** Parses a request or throws `RequestValidationError`; compiled once per operation. */
export function requestParser(operation: Operation): (text: string) => unknown {
  const schema = z.compile(operation.request)
  return (text) => {
    const input: unknown = text ? JSON.parse(text) : {}
    if (suspicious.test(text)) refuseUnkeepableText(input, { operation, path: [] })
    const result = schema.safeParse(input)
    if (result.success) return result.data
    throw new RequestValidationError(result.error.issues.flatMap((issue) => describe(issue, { operation, input, prefix: [] })))
  }
}

/** Text that would be refused or silently changed further on is refused here, where its place is known. */
function refuseUnkeepableText(value: unknown, { operation, path }: { operation: Operation; path: (string | number)[] }): void {
  if (typeof value === 'string' && (value.includes('\0') || !value.isWellFormed())) {
    const [first, ...rest] = path
    const loc = first === undefined ? ['body'] : [requestPlace(operation.http, String(first)), first, ...rest]
    throw new RequestValidationError([{ loc, msg: 'Must be well-formed text without NUL characters.', type: 'value_error' }])
  }
  if (typeof value !== 'object' || value === null) return
  for (const [key, inner] of Object.entries(value)) {
    refuseUnkeepableText(key, { operation, path: [...path, key] })
    refuseUnkeepableText(inner, { operation, path: [...path, Array.isArray(value) ? Number(key) : key] })
  }
}

interface Place {
  operation: Operation
  input: unknown
  prefix: PropertyKey[]
}

/** One zod issue in the words of the public contract. A union is told by its branch that came closest. */
function describe(issue: z.core.$ZodIssue, place: Place): ValidationIssue[] {
  const path = [...place.prefix, ...issue.path]
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    const closest = issue.errors.toSorted((a, b) => a.length - b.length)[0] ?? []
    if (closest.length > 0) return closest.flatMap((inner) => describe(inner, { ...place, prefix: path }))
  }
  const missing = path.length > 0 && valueAt(place.input, path) === undefined
  const [first, ...rest] = path.map((part) => (typeof part === 'number' ? part : String(part)))
  const loc = first === undefined ? ['body'] : [requestPlace(place.operation.http, String(first)), first, ...rest]
  return [{ loc, msg: missing ? 'Field required' : issue.message, type: missing ? 'missing' : typeOf(issue) }]
}

function valueAt(input: unknown, path: PropertyKey[]): unknown {
  return path.reduce<unknown>((value, key) => (value as Record<PropertyKey, unknown> | undefined | null)?.[key], input)
}

function typeOf(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `${issue.expected === 'int' ? 'integer' : issue.expected}_type`
    case 'too_small':
      return issue.origin === 'string' ? 'string_too_short' : issue.origin === 'array' ? 'too_short' : 'greater_than_equal'
    case 'too_big':
      return issue.origin === 'string' ? 'string_too_long' : issue.origin === 'array' ? 'too_long' : 'less_than_equal'
    case 'invalid_format':
      return issue.format === 'uuid' ? 'uuid_parsing' : 'value_error'
    case 'invalid_value':
      return 'enum'
    default:
      return 'value_error'
  }
}
