type Schema = Record<string, unknown>

/** Values that say more than their type does, by the name of the field. */
const byName: Record<string, unknown> = {
  customer_id: '3fa85f64-5717-4562-b3fc-2c963f66afa6',
  email: 'ada@example.com',
  customer_email: 'ada@example.com',
  name: 'Ada Lovelace',
  customer_name: 'Ada Lovelace',
  billing_name: 'Ada Lovelace',
  legal_name: 'Analytical Engines Ltd',
  client_name: 'Shelf mark',
  slug: 'analytical-engines',
  description: 'A seat by the window and every book of the house.',
  label: 'Reading room, volume 1',
  currency: 'usd',
  price_currency: 'usd',
  default_currency: 'usd',
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
  customer_id: '3fa85f64-5717-4562-b3fc-2c963f66afa6',
  email: 'ada@example.com',
  uri: 'https://shop.example.com/',
}

/** A value that the schema takes; optional fields of a request are left out where `isRequest`. */
export function exampleOf(schema: Schema, schemas: Schema, { name = '', isRequest = false, depth = 0 } = {}): unknown {
  const own = resolve(schema, schemas)
  if (own['example'] !== undefined) return own['example']
  if (Array.isArray(own['examples'])) return own['examples'][0]
  if (own['default'] !== undefined) return own['default']
  const branches = (own['anyOf'] ?? own['oneOf'] ?? own['allOf']) as Schema[] | undefined
  const inner = { name, isRequest, depth: depth + 1 }
  if (branches && !('properties' in own)) return name in byName && isText(own) ? byName[name] : exampleOf(branches[0] ?? {}, schemas, inner)
  if ('const' in own) return own['const']
  if (own['enum']) return (own['enum'] as unknown[])[0]
  if (depth > 8) return null
  return ofType(own, schemas, inner)
}

function ofType(own: Schema, schemas: Schema, about: { name: string; isRequest: boolean; depth: number }): unknown {
  const [type] = [own['type']].flat()
  if (type === 'object') return objectOf(own, schemas, about)
  if (about.name in byName && (type !== 'string' || !byFormat[String(own['format'])] || own['format'] === 'uri')) return byName[about.name]
  if (type === 'array') return [exampleOf((own['items'] ?? {}) as Schema, schemas, { ...about, name: '' })]
  if (type === 'integer' || type === 'number') return Math.max(Number(own['minimum'] ?? 1), Number(own['exclusiveMinimum'] ?? 0) + 1, 1)
  if (type === 'boolean') return true
  if (type === 'string') return byFormat[String(own['format'])] ?? 'text'.padEnd(Number(own['minLength'] ?? 4), 't')
  return null
}

function objectOf(own: Schema, schemas: Schema, { isRequest, depth }: { isRequest: boolean; depth: number }): Schema {
  const required = (own['required'] as string[] | undefined) ?? []
  const properties = Object.entries((own['properties'] ?? {}) as Record<string, Schema>)
  const shown = properties.filter(
    ([key, each]) => required.includes(key) || !isRequest || (depth < 2 && key in byName && byName[key] !== null && !each['deprecated']),
  )
  return Object.fromEntries(shown.map(([key, each]) => [key, exampleOf(each, schemas, { name: key, isRequest, depth })]))
}

function isText(own: Schema): boolean {
  return JSON.stringify(own).includes('"string"') && !JSON.stringify(own).includes('"object"')
}

function resolve(schema: Schema, schemas: Schema): Schema {
  const name = (schema['$ref'] as string | undefined)?.split('/').at(-1)
  return name ? ((schemas[name] ?? {}) as Schema) : schema
}
