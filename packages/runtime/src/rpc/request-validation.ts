import { RequestValidationError, type ValidationIssue } from '@quittance/contracts/errors'
import { requestLocation, type Operation } from '@quittance/contracts/operation'
import { z } from 'zod'

/** JSON text that may contain values that cannot be stored: NUL and unpaired surrogates in PostgreSQL, `__proto__` in an object. */
const suspicious = /\\u(?:0000|d[89a-f])|"__proto__"/i

/** Maximum number of issues in a reply: a list may have one for each of its items. */
const maxIssues = 100

const compiled = new WeakMap<Operation, z.ZodType>()

/** Compiled at the first request of an operation: compiling all operations of a service is about a sixth of the work of its start. */
function compiledSchema(operation: Operation): z.ZodType {
  const known = compiled.get(operation)
  if (known) return known
  const schema = z.compile(operation.request)
  compiled.set(operation, schema)
  return schema
}

/** Parses a request. Throws `RequestValidationError`, or the error the operation defines instead. */
export function parseRequest(operation: Operation, text: string): unknown {
  const { invalid } = operation
  try {
    return parseStrictly(operation, text)
  } catch (error) {
    throw invalid && error instanceof RequestValidationError ? invalid(error.issues) : error
  }
}

function parseStrictly(operation: Operation, text: string): unknown {
  const input: unknown = text ? JSON.parse(text) : {}
  if (suspicious.test(text)) assertStorable(input, { operation, path: [] })
  const result = compiledSchema(operation).safeParse(input)
  if (result.success) return result.data
  const issues = result.error.issues.slice(0, maxIssues).flatMap((issue) => describe(issue, { operation, input, prefix: [] }))
  throw new RequestValidationError(issues.slice(0, maxIssues))
}

/** Rejects values that would later be rejected, dropped or silently changed; here their location is known. */
function assertStorable(value: unknown, { operation, path }: { operation: Operation; path: (string | number)[] }): void {
  if (typeof value === 'string' && (value.includes('\0') || !value.isWellFormed())) {
    throw createValidationError('Must be well-formed text without NUL characters.', { operation, path })
  }
  if (typeof value !== 'object' || value === null) return
  for (const [key, inner] of Object.entries(value)) {
    const location = { operation, path: [...path, Array.isArray(value) ? Number(key) : key] }
    if (key === '__proto__') throw createValidationError('Must be another key.', location)
    assertStorable(key, location)
    assertStorable(inner, location)
  }
}

function createValidationError(
  msg: string,
  { operation, path }: { operation: Operation; path: (string | number)[] },
): RequestValidationError {
  const [first, ...rest] = path
  const loc = first === undefined ? ['body'] : [requestLocation(operation.http, String(first)), first, ...rest]
  return new RequestValidationError([{ loc, msg, type: 'value_error' }])
}

interface Place {
  operation: Operation
  input: unknown
  prefix: PropertyKey[]
}

/**
 * Computes how far a union branch is from the input: a missing or excluded key, another kind of value, or a different literal, counts more than
 * an invalid value inside it.
 */
function distance(issues: readonly z.core.$ZodIssue[], { input, prefix }: Place): number {
  const weights = issues.map((issue): number => {
    if (valueAt(input, [...prefix, ...issue.path]) === undefined) return 200
    if (issue.code === 'invalid_type' && (issue.expected === 'never' || issue.path.length === 0)) return 200
    if (issue.code === 'invalid_value') return issue.path.length === 0 ? 150 : 100
    return 1
  })
  return weights.reduce((sum, weight) => sum + weight, 0)
}

/** Converts one zod issue to the format of the public contract. A union is reported by its closest branch. */
function describe(issue: z.core.$ZodIssue, location: Place): ValidationIssue[] {
  const path = [...location.prefix, ...issue.path]
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    const [closest = []] = issue.errors.toSorted(
      (a, b) => distance(a, { ...location, prefix: path }) - distance(b, { ...location, prefix: path }),
    )
    if (closest.length > 0) return closest.flatMap((inner) => describe(inner, { ...location, prefix: path }))
  }
  const missing = path.length > 0 && valueAt(location.input, path) === undefined
  const [first, ...rest] = path.map((part) => (typeof part === 'number' ? part : String(part)))
  const loc = first === undefined ? ['body'] : [requestLocation(location.operation.http, String(first)), first, ...rest]
  if (missing) return [{ loc, msg: describeMissing(location.operation.request, path), type: 'missing' }]
  return [{ loc, msg: issue.message, type: typeOf(issue) }]
}

/** States what a missing key is for, if the contract describes it. Keys inside unions have no description here. */
function describeMissing(request: z.ZodType, path: readonly PropertyKey[]): string {
  let schema: z.ZodType | undefined = request
  for (const key of path) {
    if (schema instanceof z.ZodArray) schema = schema.element as z.ZodType
    else schema = schema instanceof z.ZodObject ? (schema.shape as Record<PropertyKey, z.ZodType>)[key] : undefined
  }
  return schema?.description ? `Field required: ${schema.description}` : 'Field required'
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
