/** A JSON Schema of the subset that zod writes. */
export type Schema = Record<string, unknown>

/** One side of a conversation: what it sends or takes, and the named schemas that stand behind `$ref`. */
export interface Side {
  schema: Schema
  named: Record<string, Schema>
}

/** A value the writer may send and the reader does not take as it is meant. */
export interface Difference {
  /** As in `items[].label`; empty for the whole. */
  path: string
  /**
   * - `missing`: the reader demands it, the writer never sends it
   * - `optional`: the reader demands it, the writer may leave it out
   * - `value`: the writer may send values that the reader does not know
   * - `unread`: the writer sends it, the reader passes over it
   * - `default`: the two mean different things by leaving it out
   */
  kind: 'missing' | 'optional' | 'value' | 'unread' | 'default'
  /** What each side says, in words. */
  writer: string
  reader: string
}

/** Everything that keeps the reader from taking all that the writer may send. Cautious: what cannot be proven harmless is a difference. */
export function compareSchemas(writer: Side, reader: Side): Difference[] {
  const seen = new Set<string>()

  function anyOf(sent: Schema, taken: Schema, path: string): Difference[] {
    // A schema may name itself; the second time round nothing new can be found.
    const pair = `${String(sent['$ref'])} ${String(taken['$ref'])}`
    if (sent['$ref'] && taken['$ref']) {
      if (seen.has(pair)) return []
      seen.add(pair)
    }
    const possible = alternatives(sent, writer.named)
    const known = alternatives(taken, reader.named)
    const strange: Schema[] = []
    const inside: Difference[] = []
    for (const each of possible) {
      const tried = known.map((one) => oneOf(each, one, path))
      if (tried.some((found) => found.length === 0)) continue
      const nearest = tried.filter((found) => found.every((difference) => difference.path !== path || difference.kind !== 'value'))
      if (nearest.length > 0) inside.push(...(nearest.toSorted((a, b) => a.length - b.length)[0] as Difference[]))
      else strange.push(each)
    }
    return strange.length === 0 ? inside : [...inside, { path, kind: 'value', writer: inWords(strange), reader: inWords(known) }]
  }

  function oneOf(sent: Schema, taken: Schema, path: string): Difference[] {
    const fits = [{ path, kind: 'value' as const, writer: inWords([sent]), reader: inWords([taken]) }]
    if (isAnything(taken)) return []
    if ('const' in taken || 'const' in sent) return constantFits(sent, taken) ? [] : fits
    if (!typeFits(sent, taken)) return fits
    switch (taken['type']) {
      case 'object':
        return objects(sent, taken, path)
      case 'array': {
        const items = anyOf(itemsOf(sent), itemsOf(taken), `${path}[]`)
        return [...(limitsFit(sent, taken) && sameForm(sent, taken) ? [] : fits), ...items]
      }
      default:
        return limitsFit(sent, taken) && sameForm(sent, taken) ? [] : fits
    }
  }

  function objects(sent: Schema, taken: Schema, path: string): Difference[] {
    const [given, wanted] = [propertiesOf(sent), propertiesOf(taken)]
    const at = (name: string) => (path ? `${path}.${name}` : name)
    const found: Difference[] = []
    for (const name of requiredOf(taken)) {
      const kind = name in given ? 'optional' : 'missing'
      if (!requiredOf(sent).includes(name)) found.push({ path: at(name), kind, writer: '', reader: '' })
    }
    for (const [name, schema] of Object.entries(given)) {
      const counterpart = wanted[name] ?? recordOf(taken)
      if (!counterpart) found.push({ path: at(name), kind: 'unread', writer: '', reader: '' })
      else found.push(...anyOf(schema, counterpart, at(name)), ...defaults(schema, counterpart, at(name)))
    }
    const [values, known] = [recordOf(sent), recordOf(taken)]
    if (values && known) found.push(...anyOf(values, known, at('*')))
    return found
  }

  return anyOf(writer.schema, reader.schema, '')
}

function defaults(sent: Schema, taken: Schema, path: string): Difference[] {
  const [before, now] = [JSON.stringify(sent['default'] ?? null), JSON.stringify(taken['default'] ?? null)]
  return before === now ? [] : [{ path, kind: 'default', writer: before, reader: now }]
}

/** A schema as the list of the simple ones that it is any of. */
function alternatives(schema: Schema, named: Record<string, Schema>): Schema[] {
  const reference = schema['$ref'] as string | undefined
  if (reference) return alternatives(named[reference.replace('#/$defs/', '')] ?? {}, named)
  const branches = (schema['anyOf'] ?? schema['oneOf']) as Schema[] | undefined
  if (branches) return branches.flatMap((branch) => alternatives(branch, named))
  if (Array.isArray(schema['enum'])) return schema['enum'].map((value: unknown) => ({ const: value }))
  if (Array.isArray(schema['type'])) return schema['type'].map((type: unknown) => ({ ...schema, type }))
  return [schema]
}

const propertiesOf = (schema: Schema) => (schema['properties'] ?? {}) as Record<string, Schema>
const requiredOf = (schema: Schema) => (schema['required'] ?? []) as string[]
/** `false` stands behind the last place of a tuple. */
const itemsOf = ({ items }: Schema) => (items === false ? { const: 'nothing' } : (items ?? {})) as Schema
const isAnything = (schema: Schema) => !('type' in schema) && !('const' in schema) && !('allOf' in schema) && !('not' in schema)

/** What a record holds under any name. `false` stands in every answer's schema, and readers pass over what they do not know. */
function recordOf({ additionalProperties }: Schema): Schema | null {
  return typeof additionalProperties === 'object' && additionalProperties !== null ? (additionalProperties as Schema) : null
}

function constantFits(sent: Schema, taken: Schema): boolean {
  if (!('const' in sent)) return false
  if ('const' in taken) return sent['const'] === taken['const']
  const value = sent['const']
  if (value === null) return taken['type'] === 'null'
  if (typeof value === 'number') return taken['type'] === 'number' || (taken['type'] === 'integer' && Number.isInteger(value))
  const form = taken['pattern'] as string | undefined
  return typeof value === taken['type'] && (form === undefined || new RegExp(form, 'u').test(value as string))
}

function typeFits(sent: Schema, taken: Schema): boolean {
  return sent['type'] === taken['type'] || (sent['type'] === 'integer' && taken['type'] === 'number')
}

const lowest = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems'] as const
const highest = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems'] as const

function limitsFit(sent: Schema, taken: Schema): boolean {
  const read = (schema: Schema, keyword: string, otherwise: number) => (schema[keyword] as number | undefined) ?? otherwise
  return (
    lowest.every((keyword) => read(sent, keyword, -Infinity) >= read(taken, keyword, -Infinity)) &&
    highest.every((keyword) => read(sent, keyword, Infinity) <= read(taken, keyword, Infinity))
  )
}

/** Two patterns cannot be compared: only the same one is known to be as wide. */
function sameForm(sent: Schema, taken: Schema): boolean {
  return ['pattern', 'format', 'allOf', 'not', 'multipleOf', 'prefixItems'].every(
    (keyword) => taken[keyword] === undefined || JSON.stringify(sent[keyword]) === JSON.stringify(taken[keyword]),
  )
}

function inWords(schemas: readonly Schema[]): string {
  return schemas.map(describe).join(' or ')
}

function describe(schema: Schema): string {
  if ('const' in schema) return JSON.stringify(schema['const'])
  if (isAnything(schema)) return 'anything'
  const noun = (schema['format'] as string | undefined) ?? (schema['type'] as string)
  const pattern = schema['pattern'] && !schema['format'] ? `of the form ${schema['pattern'] as string}` : null
  const [least] = lowest.flatMap((keyword) => (keyword in schema ? [`from ${String(schema[keyword])}`] : []))
  const [most] = highest.flatMap((keyword) => (keyword in schema ? [`up to ${String(schema[keyword])}`] : []))
  return [noun, pattern, least, most].filter(Boolean).join(' ')
}
