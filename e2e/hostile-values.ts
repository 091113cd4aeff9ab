import type { PublicOperation } from '@quittance/contracts/operation'

/** A value that a field must refuse. */
export interface Attack {
  place: 'body' | 'query'
  field: string
  /** In words, for the report. */
  what: string
  value: unknown
}

/** Text that JSON cannot be made of otherwise; see `jsonOf`. */
const raw = (text: string) => `@raw ${text}@`

/** JSON in which what was marked as raw stands as it is. */
export function jsonOf(body: object): string {
  return JSON.stringify(body).replaceAll(/"@raw (.*?)@"/g, '$1')
}

const metadata: Record<string, unknown> = {
  '51 keys': Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`key${index}`, 1])),
  'a key of 41 characters': { ['k'.repeat(41)]: 1 },
  'an empty key': { '': 1 },
  'a value of 501 characters': { key: 'v'.repeat(501) },
  'an empty value': { key: '' },
  'a null value': { key: null },
  'an infinite value': { key: raw('1e400') },
  'a nested object': { key: { inner: 1 } },
  'a list': { key: [1] },
  'a key that is the prototype': Object.fromEntries([['__proto__', 'x']]),
  'an object as the prototype': Object.fromEntries([['__proto__', { isAdmin: true }]]),
  'a NUL in a value': { key: 'a\0b' },
  'a NUL in a key': { 'a\0b': 'x' },
  'half a character': { key: '\ud800' },
  'text instead of an object': 'x',
}

const integers: Record<string, unknown> = {
  '2^53': raw('9007199254740992'),
  '2^53 + 1': raw('9007199254740993'),
  'more than there are numbers': raw('1e400'),
  'a large exponent': raw('1e30'),
  'half a unit': 1.5,
  'text of digits': '100',
  'less than nothing': -1,
  true: true,
  'a list': [1],
  'an object': { $gt: 0 },
}

const times: Record<string, unknown> = {
  'a time without zone': '2030-01-01T00:00:00',
  'a day': '2030-01-01',
  'a month that is not': '2030-13-01T00:00:00Z',
  'a day that is not': '2030-02-30T00:00:00Z',
  'the year 0': '0000-01-01T00:00:00Z',
  'an hour that is not': '2030-01-01T25:00:00Z',
  'a word': 'tomorrow',
  seconds: 1_893_456_000,
}

const texts: Record<string, unknown> = {
  'a NUL': 'a\0b',
  'half a character': 'a\ud800',
  'a hundred thousand characters': 'x'.repeat(100_000),
  'a number': 7,
  'an object': { $ne: null },
}

const lists: Record<string, unknown> = {
  'ten thousand items': Array.from({ length: 10_000 }, () => '11111111-1111-4111-8111-111111111111'),
  'an object with a length': { length: 1 },
}

type Schema = Record<string, unknown>

/** The part of an OpenAPI description that says what bodies are made of. */
export interface Description {
  paths: Record<string, Record<string, { requestBody?: { content: { 'application/json': { schema: Schema } } } }>>
}

/** Values for every field of a body, found by what the server says the field is. */
export function attacksOn({ http }: PublicOperation, { paths }: Description): Attack[] {
  const body = paths[http.path]?.[http.method.toLowerCase()]?.requestBody?.content['application/json'].schema
  return Object.entries(propertiesOf(body ?? {})).flatMap(([field, schema]) =>
    Object.entries(valuesFor(field, branchesOf(schema))).map(([what, value]): Attack => ({ place: 'body', field, what, value })),
  )
}

function valuesFor(field: string, branches: Schema[]): Record<string, unknown> {
  const is = (type: string) => branches.some((branch) => branch['type'] === type)
  if (field.endsWith('metadata')) return metadata
  if (branches.some(({ format }) => format === 'date-time')) return times
  if (is('integer')) return integers
  if (is('array')) return lists
  return is('string') ? texts : {}
}

/** The properties of an object, or of all the objects a request may be. */
function propertiesOf(schema: Schema): Record<string, Schema> {
  const alternatives = (schema['anyOf'] ?? []) as Schema[]
  return Object.assign({}, schema['properties'], ...alternatives.map(propertiesOf)) as Record<string, Schema>
}

function branchesOf(schema: Schema): Schema[] {
  const alternatives = (schema['anyOf'] ?? []) as Schema[]
  return alternatives.length > 0 ? alternatives.flatMap(branchesOf) : [schema]
}

/** Hostile prices of a product, which are one level down. */
export const prices = Object.entries(integers).map(([what, price_amount]): Attack => {
  return { place: 'body', field: 'prices', what: `a price of ${what}`, value: [{ amount_type: 'fixed', price_amount }] }
})
