import { RequestValidationError, type ValidationIssue } from '@quittance/contracts/errors'
import { requestPlace, type Operation } from '@quittance/contracts/operation'
import { z } from 'zod'

/** JSON text that may stand for what cannot be kept: NUL and halves of surrogate pairs in PostgreSQL, `__proto__` in an object. */
const suspicious = /\\u(?:0000|d[89a-f])|"__proto__"/i

/** Parses a request or throws `RequestValidationError`; compiled once per operation. */
export function requestParser(operation: Operation): (text: string) => unknown {
  const schema = z.compile(operation.request)
  return (text) => {
    const input: unknown = text ? JSON.parse(text) : {}
    if (suspicious.test(text)) refuseUnkeepable(input, { operation, path: [] })
    const result = schema.safeParse(input)
    if (result.success) return result.data
    throw new RequestValidationError(result.error.issues.flatMap((issue) => describe(issue, { operation, input, prefix: [] })))
  }
}

/** What would be refused, dropped or silently changed further on is refused here, where its place is known. */
function refuseUnkeepable(value: unknown, { operation, path }: { operation: Operation; path: (string | number)[] }): void {
  if (typeof value === 'string' && (value.includes('\0') || !value.isWellFormed())) {
    throw refusal('Must be well-formed text without NUL characters.', { operation, path })
  }
  if (typeof value !== 'object' || value === null) return
  for (const [key, inner] of Object.entries(value)) {
    const place = { operation, path: [...path, Array.isArray(value) ? Number(key) : key] }
    if (key === '__proto__') throw refusal('Must be another key.', place)
    refuseUnkeepable(key, place)
    refuseUnkeepable(inner, place)
  }
}

function refusal(msg: string, { operation, path }: { operation: Operation; path: (string | number)[] }): RequestValidationError {
  const [first, ...rest] = path
  const loc = first === undefined ? ['body'] : [requestPlace(operation.http, String(first)), first, ...rest]
  return new RequestValidationError([{ loc, msg, type: 'value_error' }])
}

interface Place {
  operation: Operation
  input: unknown
  prefix: PropertyKey[]
}

/** How far a branch of a union is from what was meant: a key that is missing or says otherwise counts more than one that is wrong. */
function distance(issues: readonly z.core.$ZodIssue[], { input, prefix }: Place): number {
  const weights = issues.map((issue): number => {
    if (valueAt(input, [...prefix, ...issue.path]) === undefined) return 200
    return issue.code === 'invalid_value' ? 100 : 1
  })
  return weights.reduce((sum, weight) => sum + weight, 0)
}

/** One zod issue in the words of the public contract. A union is told by its branch that came closest. */
function describe(issue: z.core.$ZodIssue, place: Place): ValidationIssue[] {
  const path = [...place.prefix, ...issue.path]
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    const [closest = []] = issue.errors.toSorted(
      (a, b) => distance(a, { ...place, prefix: path }) - distance(b, { ...place, prefix: path }),
    )
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
