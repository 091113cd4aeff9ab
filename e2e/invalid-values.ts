import type { PublicOperation } from '@quittance/contracts/operation'

/** A value that a field must reject. */
export interface InvalidValue {
  place: 'body' | 'query'
  field: string
  /** Description for the report. */
  label: string
  value: unknown
}

/** Marks text that `JSON.stringify` cannot produce; see `toJsonWithRawValues`. */
const rawJson = (text: string) => `@raw ${text}@`

/** Returns JSON in which text marked as raw is inserted unchanged. */
export function toJsonWithRawValues(body: object): string {
  return JSON.stringify(body).replaceAll(/"@raw (.*?)@"/g, '$1')
}

const metadata: Record<string, unknown> = {
  '51 keys': Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`key${index}`, 1])),
  'a key of 41 characters': { ['k'.repeat(41)]: 1 },
  'an empty key': { '': 1 },
  'a value of 501 characters': { key: 'v'.repeat(501) },
  'an empty value': { key: '' },
  'a null value': { key: null },
  'an infinite value': { key: rawJson('1e400') },
  'a nested object': { key: { inner: 1 } },
  'a list': { key: [1] },
  'a key named __proto__': Object.fromEntries([['__proto__', 'x']]),
  'an object as the prototype': Object.fromEntries([['__proto__', { isAdmin: true }]]),
  'a NUL in a value': { key: 'a\0b' },
  'a NUL in a key': { 'a\0b': 'x' },
  'a lone surrogate': { key: '\ud800' },
  'text instead of an object': 'x',
}

const integers: Record<string, unknown> = {
  '2^53': rawJson('9007199254740992'),
  '2^53 + 1': rawJson('9007199254740993'),
  'a number beyond the double range': rawJson('1e400'),
  'a large exponent': rawJson('1e30'),
  'a fraction': 1.5,
  'a string of digits': '100',
  'a negative number': -1,
  true: true,
  'a list': [1],
  'an object': { $gt: 0 },
}

const times: Record<string, unknown> = {
  'a time without a time zone': '2030-01-01T00:00:00',
  'a date without a time': '2030-01-01',
  'an invalid month': '2030-13-01T00:00:00Z',
  'an invalid day': '2030-02-30T00:00:00Z',
  'the year 0': '0000-01-01T00:00:00Z',
  'an invalid hour': '2030-01-01T25:00:00Z',
  'a word': 'tomorrow',
  seconds: 1_893_456_000,
}

const texts: Record<string, unknown> = {
  'a NUL': 'a\0b',
  'a lone surrogate': 'a\ud800',
  'a hundred thousand characters': 'x'.repeat(100_000),
  'a number': 7,
  'an object': { $ne: null },
}

const lists: Record<string, unknown> = {
  'ten thousand items': Array.from({ length: 10_000 }, () => '11111111-1111-4111-8111-111111111111'),
  'an object with a length property': { length: 1 },
}

type Schema = Record<string, unknown>

/** The part of an OpenAPI description that describes request bodies. */
export interface Description {
  paths: Record<string, Record<string, { requestBody?: { content: { 'application/json': { schema: Schema } } } }>>
}

/** Returns invalid values for every field of a body, selected by the field's schema. */
export function buildInvalidValues({ http }: PublicOperation, { paths }: Description): InvalidValue[] {
  const body = paths[http.path]?.[http.method.toLowerCase()]?.requestBody?.content['application/json'].schema
  return Object.entries(collectProperties(body ?? {})).flatMap(([field, schema]) =>
    Object.entries(selectValues(field, collectBranches(schema))).map(([label, value]): InvalidValue => ({
      place: 'body',
      field,
      label,
      value,
    })),
  )
}

function selectValues(field: string, branches: Schema[]): Record<string, unknown> {
  const hasType = (type: string) => branches.some((branch) => branch['type'] === type)
  if (field.endsWith('metadata')) return metadata
  if (branches.some(({ format }) => format === 'date-time')) return times
  if (hasType('integer')) return integers
  if (hasType('array')) return lists
  return hasType('string') ? texts : {}
}

/** Returns the properties of an object, or of all alternatives of a request. */
function collectProperties(schema: Schema): Record<string, Schema> {
  const alternatives = (schema['anyOf'] ?? []) as Schema[]
  return Object.assign({}, schema['properties'], ...alternatives.map(collectProperties)) as Record<string, Schema>
}

function collectBranches(schema: Schema): Schema[] {
  const alternatives = (schema['anyOf'] ?? []) as Schema[]
  return alternatives.length > 0 ? alternatives.flatMap(collectBranches) : [schema]
}

/** Invalid prices of a product, which are nested one level deeper. */
export const invalidPrices = Object.entries(integers).map(([label, price_amount]): InvalidValue => {
  return { place: 'body', field: 'prices', label: `a price of ${label}`, value: [{ amount_type: 'fixed', price_amount }] }
})
