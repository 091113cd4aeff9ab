import { randomUUID } from 'node:crypto'
import { z } from 'zod'

interface Shape {
  $ref?: string
  $defs?: Record<string, Shape>
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  default?: unknown
  anyOf?: Shape[]
  oneOf?: Shape[]
  allOf?: Shape[]
  properties?: Record<string, Shape>
  required?: string[]
  prefixItems?: Shape[]
  format?: string
  pattern?: string
  minimum?: number
  minLength?: number
}

/** Something that fits a schema of the contracts: for trying a receiver out without anybody's data. */
export function exampleOf(schema: z.ZodType, now: Date): unknown {
  const root = z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any' }) as Shape
  return valueOf(root, { root, now })
}

interface Making {
  root: Shape
  now: Date
  /** Of the property that is made. */
  name?: string
}

function valueOf(shape: Shape, making: Making): unknown {
  if (shape.$ref) return valueOf(resolve(shape.$ref, making.root), making)
  if ('const' in shape) return shape.const
  if (shape.enum) return shape.enum[0]
  const [first] = shape.anyOf ?? shape.oneOf ?? []
  if (first) return valueOf(first, making)
  if (shape.allOf) return Object.assign({}, ...shape.allOf.map((part) => valueOf(part, making)))
  switch ([shape.type].flat()[0]) {
    case 'object':
      return Object.fromEntries(
        (shape.required ?? []).map((key) => [key, valueOf(shape.properties?.[key] ?? {}, { ...making, name: key })]),
      )
    case 'array':
      return (shape.prefixItems ?? []).map((item) => valueOf(item, making))
    case 'string':
      return textOf(shape, making)
    case 'integer':
    case 'number':
      return Math.max(0, shape.minimum ?? 0)
    case 'boolean':
      return false
    default:
      return null
  }
}

function resolve(reference: string, root: Shape): Shape {
  const name = reference.split('/').at(-1) ?? ''
  return reference === '#' ? root : (root.$defs?.[name] ?? {})
}

function textOf({ format, pattern, minLength = 0 }: Shape, { now, name = '' }: Making): string {
  if (format === 'uuid') return randomUUID()
  // Times that PostgreSQL writes are plain text to some schemas.
  if (format === 'date-time' || name.endsWith('_at')) return now.toISOString()
  if (format === 'date') return now.toISOString().slice(0, 10)
  if (format === 'email') return 'ada@example.com'
  if (format === 'uri') return 'https://example.com/'
  if (pattern === '^[a-z]{3}$') return 'usd'
  return 'example'.padEnd(minLength, '-')
}
