import { z } from 'zod'
import { examples } from './examples.ts'

/** A JSON Schema, or component schemas by name. */
export type Schema = Record<string, unknown>

/** Values by the name of the field, for fields that are in no example of their component. */
const byName: Record<string, unknown> = {
  customer_id: '3fa85f64-5717-4562-b3fc-2c963f66afa6',
  product_id: '3fa85f64-5717-4562-b3fc-2c963f66afa6',
  email: 'ada@example.com',
  customer_email: 'ada@example.com',
  name: 'Ada Lovelace',
  customer_name: 'Ada Lovelace',
  billing_name: 'Ada Lovelace',
  legal_name: 'Analytical Engines Ltd',
  client_name: 'Shelf mark',
  slug: 'analytical-engines',
  description: 'A seat by the window, every day of the month.',
  label: 'Reading room',
  currency: 'usd',
  price_currency: 'usd',
  default_currency: 'usd',
  default_presentment_currency: 'usd',
  platform_fee_currency: 'usd',
  country: 'GB',
  city: 'London',
  line1: '12 St James’s Square',
  postal_code: 'SW1Y 4JH',
  state: null,
  locale: 'en',
  language: 'en',
  code: 'SUMMER',
  url: 'https://shop.example.com/hooks',
  success_url: 'https://shop.example.com/thanks',
  return_url: 'https://shop.example.com/account',
  embed_origins: ['https://shop.example.com'],
  return_origins: ['https://shop.example.com'],
  redirect_uris: ['https://shop.example.com/callback'],
  tax_id: null,
  amount: 4900,
  price_amount: 4900,
  ip_address: '203.0.113.7',
  customer_ip_address: '203.0.113.7',
  scope: 'openid orders:read',
  ends_at: '2027-06-01T12:00:00Z',
  expires_at: '2027-06-01T12:00:00Z',
}

const byFormat: Record<string, string> = {
  uuid: '3fa85f64-5717-4562-b3fc-2c963f66afa6',
  'date-time': '2026-06-01T12:00:00Z',
  date: '2026-06-01',
  email: 'ada@example.com',
  uri: 'https://shop.example.com/',
}

interface Place {
  /** Name of the property. */
  name: string
  /** Optional properties of a request are left out. */
  isRequest: boolean
  depth: number
}

/** Builds a value that a contract's schema accepts, from the examples of its components. */
export function buildContractExample(schema: z.ZodType): unknown {
  const { $defs, ...root } = z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any' }) as Schema & { $defs?: Schema }
  return buildExample(root, $defs ?? {})
}

/** Builds a value that a JSON Schema accepts; `components` are the schemas that `$ref` names, by the last part of the reference. */
export function buildExample(
  schema: Schema,
  components: Schema,
  { name = '', isRequest = false, depth = 0 }: Partial<Place> = {},
): unknown {
  const { component, own } = resolve(schema, components)
  if (own['example'] !== undefined) return own['example']
  if (own['default'] !== undefined) return own['default']
  const branches = (own['anyOf'] ?? own['oneOf'] ?? own['allOf']) as Schema[] | undefined
  const place = { name, isRequest, depth: depth + 1 }
  if (branches && !('properties' in own)) {
    return name in byName && isText(own) ? byName[name] : buildExample(branches[0] ?? {}, components, place)
  }
  if ('const' in own) return own['const']
  if (own['enum']) return (own['enum'] as unknown[])[0]
  if (depth > 8) return null
  return [own['type']].flat()[0] === 'object'
    ? buildObject(own, components, { ...place, values: (component && examples[component]) || {} })
    : buildScalar(own, components, place)
}

function buildScalar(own: Schema, components: Schema, place: Place): unknown {
  const [type] = [own['type']].flat()
  const { name } = place
  if (name in byName && hasType(byName[name], own) && (type !== 'string' || !byFormat[String(own['format'])] || own['format'] === 'uri')) {
    return byName[name]
  }
  if (type === 'array') return own['items'] ? [buildExample(own['items'] as Schema, components, { ...place, name: '' })] : []
  if (type === 'integer' || type === 'number') return Math.max(Number(own['minimum'] ?? 1), Number(own['exclusiveMinimum'] ?? 0) + 1, 1)
  if (type === 'boolean') return true
  if (type === 'string') return byFormat[String(own['format'])] ?? 'text'.padEnd(Number(own['minLength'] ?? 4), 't')
  return null
}

function buildObject(own: Schema, components: Schema, { isRequest, depth, values }: Place & { values: Schema }): Schema {
  const required = (own['required'] as string[] | undefined) ?? []
  const properties = Object.entries((own['properties'] ?? {}) as Record<string, Schema>)
  const hasExample = ([key, each]: [string, Schema]) => 'example' in each || (key in byName && byName[key] !== null)
  const shown = properties.filter(
    (property) => required.includes(property[0]) || !isRequest || (depth < 2 && hasExample(property) && !property[1]['deprecated']),
  )
  return Object.fromEntries(
    shown.map(([key, each]) => [key, key in values ? values[key] : buildExample(each, components, { name: key, isRequest, depth })]),
  )
}

function hasType(value: unknown, { type }: Schema): boolean {
  const types = new Set([type].flat())
  if (value === null) return types.has('null')
  if (typeof value === 'number') return types.has('integer') || types.has('number')
  return types.has(Array.isArray(value) ? 'array' : typeof value)
}

function isText(own: Schema): boolean {
  return JSON.stringify(own).includes('"string"') && !JSON.stringify(own).includes('"object"')
}

function resolve(schema: Schema, components: Schema): { component: string | undefined; own: Schema } {
  const component = (schema['$ref'] as string | undefined)?.split('/').at(-1)
  if (!component) return { component, own: schema }
  const own = (components[component] ?? {}) as Schema
  return '$ref' in own ? resolve(own, components) : { component, own }
}
