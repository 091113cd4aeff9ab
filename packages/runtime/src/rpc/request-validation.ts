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
  return new RequestValidationError([{ loc: locate(operation, path), msg, type: 'value_error' }])
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

/** Converts one zod issue to the format of the public contract. A union is reported by its closest branch, or by what any of several lacks. */
function describe(issue: z.core.$ZodIssue, location: Place): ValidationIssue[] {
  const path = [...location.prefix, ...issue.path]
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    const distances = issue.errors.map((branch) => distance(branch, { ...location, prefix: path }))
    const nearest = issue.errors.filter((_, index) => distances[index] === Math.min(...distances))
    const lacking = nearest.map((branch) => findOnlyMissing(branch, { ...location, prefix: path }))
    if (nearest.length > 1 && lacking.every((key) => key !== null))
      return [
        { loc: locate(location.operation, path), msg: `One of these is required: ${[...new Set(lacking)].join(', ')}`, type: 'missing' },
      ]
    const [closest = []] = nearest
    if (closest.length > 0) return closest.flatMap((inner) => describe(inner, { ...location, prefix: path }))
  }
  const missing = path.length > 0 && valueAt(location.input, path) === undefined
  const loc = locate(location.operation, path)
  if (missing) return [{ loc, msg: describeMissing(location.operation.request, path), type: 'missing' }]
  return [{ loc, msg: issue.message, type: typeOf(issue) }]
}

function locate({ http }: Operation, path: PropertyKey[]): (string | number)[] {
  const [first, ...rest] = path.map((part) => (typeof part === 'number' ? part : String(part)))
  return first === undefined ? ['body'] : [requestLocation(http, String(first)), first, ...rest]
}

/** Returns the name of the key that a union branch lacks, if it is all that differs; otherwise null. */
function findOnlyMissing([issue, ...others]: readonly z.core.$ZodIssue[], { input, prefix }: Place): string | null {
  if (!issue || others.length > 0 || issue.path.length !== 1) return null
  return valueAt(input, [...prefix, ...issue.path]) === undefined ? String(issue.path[0]) : null
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
