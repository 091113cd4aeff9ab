import fc, { type Arbitrary } from 'fast-check'

export type Schema = Record<string, unknown>

/** The part of an OpenAPI description from which requests are generated. */
export interface Description {
  paths: Record<string, Record<string, DescribedOperation>>
  components: { schemas: Record<string, Schema> }
}

export interface DescribedOperation {
  operationId: string
  parameters?: { name: string; in: 'path' | 'query' | 'header'; required: boolean; schema: Schema }[]
  requestBody?: { content: Record<string, { schema: Schema }> }
}

/** Values that no real client sends. */
const hostileValues: readonly unknown[] = [
  '',
  '\0',
  'a\0b',
  '\ud800',
  '\u202e',
  '../../etc/passwd',
  "' or '1'='1",
  '%00',
  '%',
  '${7*7}',
  '{{7*7}}',
  'null',
  '__proto__',
  'constructor',
  'x'.repeat(5_000),
  -1,
  0,
  1.5,
  2 ** 31,
  2 ** 53,
  -(2 ** 63),
  1e308,
  true,
  null,
  [],
  {},
  [[[[[[[[[[]]]]]]]]]],
  { length: -1 },
  JSON.parse('{"__proto__":{"isAdmin":true}}'),
  { toString: 1, valueOf: null, constructor: {} },
  '0000-01-01T00:00:00Z',
  '9999-12-31T23:59:59-23:59',
  '-infinity',
]

const hostile = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...hostileValues) },
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme', maxLength: 200 }),
  fc.maxSafeInteger(),
  fc.double(),
  fc.jsonValue({ maxDepth: 3 }),
)

/** Generates values of a schema, some of them hostile, at every depth. */
export function generateValues(schema: Schema, components: Record<string, Schema>, depth = 0): Arbitrary<unknown> {
  const validValue = depth > 5 ? fc.constant(null) : generateValid(resolve(schema, components), components, depth)
  return fc.oneof({ weight: 8, arbitrary: validValue }, { weight: 1, arbitrary: hostile })
}

function resolve(schema: Schema, components: Record<string, Schema>): Schema {
  const name = (schema['$ref'] as string | undefined)?.split('/').at(-1)
  return name ? (components[name] ?? {}) : schema
}

function generateValid(schema: Schema, components: Record<string, Schema>, depth: number): Arbitrary<unknown> {
  // A schema may be `true` or `false`.
  if (typeof schema !== 'object') return hostile
  const branches = (schema['anyOf'] ?? schema['oneOf'] ?? schema['allOf']) as Schema[] | undefined
  if (branches) return fc.oneof(...branches.map((branch) => generateValid(resolve(branch, components), components, depth)))
  if ('const' in schema) return fc.constant(schema['const'])
  if (schema['enum']) return fc.constantFrom(...(schema['enum'] as unknown[]))
  const [type] = [schema['type']].flat()
  switch (type) {
    case 'object':
      return generateObject(schema, components, depth)
    case 'array':
      return fc.array(generateValues((schema['items'] ?? {}) as Schema, components, depth + 1), { maxLength: 4 })
    case 'integer':
      return fc.integer({
        min: Math.max(Number(schema['minimum'] ?? -10), -(2 ** 31)),
        max: Math.min(Number(schema['maximum'] ?? 1e6), 1e9),
      })
    case 'number':
      return fc.double({ noNaN: true, noDefaultInfinity: true })
    case 'boolean':
      return fc.boolean()
    case 'string':
      return generateText(schema)
    default:
      return hostile
  }
}

function generateObject(schema: Schema, components: Record<string, Schema>, depth: number): Arbitrary<unknown> {
  const properties = Object.entries((schema['properties'] ?? {}) as Record<string, Schema>)
  if (properties.length === 0) return fc.dictionary(fc.string({ maxLength: 50 }), hostile, { maxKeys: 3 })
  const required = (schema['required'] ?? []) as string[]
  return fc.record(Object.fromEntries(properties.map(([name, each]) => [name, generateValues(each, components, depth + 1)])), {
    requiredKeys: required,
  })
}

function generateText(schema: Schema): Arbitrary<unknown> {
  switch (schema['format']) {
    case 'uuid':
      return fc.uuid({ version: 4 })
    case 'date-time':
      return fc.date({ noInvalidDate: true, min: new Date('1970-01-01'), max: new Date('2100-01-01') }).map((date) => date.toISOString())
    case 'email':
      return fc.emailAddress()
    case 'uri':
      // Never an existing host: the system may call the address it receives.
      return fc.webPath().map((path) => `http://127.0.0.1:1${path}`)
    default:
      return fc.string({ unit: 'grapheme', maxLength: Math.min(Number(schema['maxLength'] ?? 40), 300) })
  }
}
