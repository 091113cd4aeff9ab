import { BadRequest } from '@quittance/contracts/errors'
import type { Operation } from '@quittance/contracts/operation'
import { z } from 'zod'

type Schema = Record<string, unknown>
type Query = Record<string, string | string[] | undefined>

/**
 * Converts a query string to the types of the contract. Only text that is exactly a number or boolean is converted; the owner rejects
 * everything else.
 */
export function queryDecoder({ request }: Operation): (query: Query) => Record<string, unknown> {
  const { properties = {} } = z.toJSONSchema(request, { io: 'input', unrepresentable: 'any' }) as { properties?: Record<string, Schema> }
  return (query) => {
    const decoded: Record<string, unknown> = {}
    for (const [key, value] of Object.entries(query)) {
      const bracketed = /^(\w+)\[([^\]]{1,100})\]$/.exec(key)
      if (bracketed) {
        const [, name, inner] = bracketed as unknown as [string, string, string]
        if (properties[name]) decoded[name] = { ...(decoded[name] as object | undefined), [inner]: value }
      } else if (properties[key] && value !== undefined) {
        decoded[key] = coerce(value, properties[key])
      } else {
        // Brackets without a meaning are kept: an ignored filter would return everything.
        const name = /^(\w+)\[/.exec(key)?.[1]
        if (name && properties[name]) decoded[name] = { [key]: value }
      }
    }
    return decoded
  }
}

/** Throws if the URL is not percent-encoded UTF-8, which would otherwise be searched for literally. */
export function requireUtf8(url: string): void {
  if (!url.includes('%')) return
  try {
    decodeURIComponent(url)
  } catch {
    throw new BadRequest('The query is not percent-encoded UTF-8.')
  }
}

function coerce(value: string | string[], schema: Schema): unknown {
  if (Array.isArray(value)) return value.map((item) => coerce(item, schema))
  const types = readTypes(schema)
  if ((types.has('integer') || types.has('number')) && /^-?\d{1,15}(\.\d{1,15})?$/.test(value)) return Number(value)
  if (types.has('boolean') && (value === 'true' || value === 'false')) return value === 'true'
  return value
}

function readTypes(schema: Schema): Set<unknown> {
  const branches = [...((schema['anyOf'] as Schema[] | undefined) ?? []), ...(schema['items'] ? [schema['items'] as Schema] : [])]
  return new Set([schema['type'], ...branches.flatMap((branch) => [...readTypes(branch)])])
}
