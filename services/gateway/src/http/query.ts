import { BadRequest } from '@quittance/contracts/errors'
import type { Operation } from '@quittance/contracts/operation'
import { z } from 'zod'

type Schema = Record<string, unknown>
type Given = Record<string, string | string[] | undefined>

/**
 * Query strings are text; the contract wants numbers and booleans. Only text that is exactly one becomes one: everything else
 * is left for the owner to refuse.
 */
export function queryDecoder({ request }: Operation): (query: Given) => Record<string, unknown> {
  const { properties = {} } = z.toJSONSchema(request, { io: 'input', unrepresentable: 'any' }) as { properties?: Record<string, Schema> }
  return (query) => {
    const decoded: Record<string, unknown> = {}
    for (const [key, value] of Object.entries(query)) {
      const deep = /^(\w+)\[([^\]]{1,100})\]$/.exec(key)
      if (deep) {
        const [, name, inner] = deep as unknown as [string, string, string]
        if (properties[name]) decoded[name] = { ...(decoded[name] as object | undefined), [inner]: value }
      } else if (properties[key] && value !== undefined) {
        decoded[key] = typed(value, properties[key])
      } else {
        // Brackets that mean nothing here are not passed over: a filter that is ignored would show everything.
        const name = /^(\w+)\[/.exec(key)?.[1]
        if (name && properties[name]) decoded[name] = { [key]: value }
      }
    }
    return decoded
  }
}

/** What is not UTF-8 would be looked for as it is written. */
export function demandText(url: string): void {
  if (!url.includes('%')) return
  try {
    decodeURIComponent(url)
  } catch {
    throw new BadRequest('The query is not percent-encoded UTF-8.')
  }
}

function typed(value: string | string[], schema: Schema): unknown {
  if (Array.isArray(value)) return value.map((item) => typed(item, schema))
  const types = typesOf(schema)
  if ((types.has('integer') || types.has('number')) && /^-?\d{1,15}(\.\d{1,15})?$/.test(value)) return Number(value)
  if (types.has('boolean') && (value === 'true' || value === 'false')) return value === 'true'
  return value
}

function typesOf(schema: Schema): Set<unknown> {
  const branches = [...((schema['anyOf'] as Schema[] | undefined) ?? []), ...(schema['items'] ? [schema['items'] as Schema] : [])]
  return new Set([schema['type'], ...branches.flatMap((branch) => [...typesOf(branch)])])
}
