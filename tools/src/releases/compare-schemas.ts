/** A JSON Schema of the subset that zod writes. */
export type Schema = Record<string, unknown>

/** One side of an exchange: the schema of what it sends or accepts, and the named schemas that `$ref` refers to. */
export interface SchemaSide {
  schema: Schema
  named: Record<string, Schema>
}

/** A value that the writer may send and the reader does not accept as intended. */
export interface Difference {
  /** As in `items[].label`; empty for the whole. */
  path: string
  /**
   * - `missing`: the reader requires it, the writer never sends it
   * - `optional`: the reader requires it, the writer may omit it
   * - `value`: the writer may send values that the reader does not know
   * - `unread`: the writer sends it, the reader ignores it
   * - `default`: omitting it has a different meaning for each
   */
  kind: 'missing' | 'optional' | 'value' | 'unread' | 'default'
  /** Descriptions of both sides. */
  writer: string
  reader: string
}

/**
 * Returns every reason why the reader cannot accept all that the writer may send. Cautious: anything not provably harmless is a difference.
 */
export function compareSchemas(writer: SchemaSide, reader: SchemaSide): Difference[] {
  const seen = new Set<string>()

  function compareAlternatives(sent: Schema, taken: Schema, path: string): Difference[] {
    // A schema may reference itself; a second comparison finds nothing new.
    const pair = `${String(sent['$ref'])} ${String(taken['$ref'])}`
    if (sent['$ref'] && taken['$ref']) {
      if (seen.has(pair)) return []
      seen.add(pair)
    }
    const possible = alternatives(sent, writer.named)
    const known = alternatives(taken, reader.named)
    const unmatched: Schema[] = []
    const inside: Difference[] = []
    for (const each of possible) {
      const tried = known.map((one) => comparePair(each, one, path))
      if (tried.some((found) => found.length === 0)) continue
      const nearest = tried.filter((found) => found.every((difference) => difference.path !== path || difference.kind !== 'value'))
      if (nearest.length > 0) inside.push(...(nearest.toSorted((a, b) => distance(a) - distance(b))[0] as Difference[]))
      else unmatched.push(each)
    }
    return unmatched.length === 0 ? inside : [...inside, { path, kind: 'value', writer: inWords(unmatched), reader: inWords(known) }]
  }

  function comparePair(sent: Schema, taken: Schema, path: string): Difference[] {
    const mismatch = [{ path, kind: 'value' as const, writer: inWords([sent]), reader: inWords([taken]) }]
    if (isAnything(taken)) return []
    if ('const' in taken || 'const' in sent) return constantFits(sent, taken) ? [] : mismatch
    if (!typeFits(sent, taken)) return mismatch
    switch (taken['type']) {
      case 'object':
        return objects(sent, taken, path)
      case 'array': {
        const items = compareAlternatives(getItems(sent), getItems(taken), `${path}[]`)
        return [...(limitsFit(sent, taken) && hasSameForm(sent, taken) ? [] : mismatch), ...items]
      }
      default:
        return limitsFit(sent, taken) && hasSameForm(sent, taken) ? [] : mismatch
    }
  }

  function objects(sent: Schema, taken: Schema, path: string): Difference[] {
    const [given, wanted] = [getProperties(sent), getProperties(taken)]
    const at = (name: string) => (path ? `${path}.${name}` : name)
    const found = findUnsent(sent, taken, at)
    for (const [name, schema] of Object.entries(given)) {
      const counterpart = wanted[name] ?? getRecordValues(taken)
      if (!counterpart) found.push({ path: at(name), kind: 'unread', writer: '', reader: '' })
      else found.push(...compareAlternatives(schema, counterpart, at(name)), ...defaults(schema, counterpart, at(name)))
    }
    const [values, known] = [getRecordValues(sent), getRecordValues(taken)]
    if (values && known) found.push(...compareAlternatives(values, known, at('*')))
    return found
  }

  return compareAlternatives(writer.schema, reader.schema, '')
}

/** Many keys that the reader ignores are nearer than one that it lacks. */
const distance = (found: readonly Difference[]) => found.length + 1_000 * found.filter(({ kind }) => kind !== 'unread').length

/** Returns the properties that the reader requires and the writer does not always send. */
function findUnsent(sent: Schema, taken: Schema, at: (name: string) => string): Difference[] {
  const always = getRequired(sent)
  return getRequired(taken)
    .filter((name) => !always.includes(name))
    .map((name) => ({ path: at(name), kind: name in getProperties(sent) ? 'optional' : 'missing', writer: '', reader: '' }))
}

function defaults(sent: Schema, taken: Schema, path: string): Difference[] {
  const [before, now] = [JSON.stringify(sent['default'] ?? null), JSON.stringify(taken['default'] ?? null)]
  return before === now ? [] : [{ path, kind: 'default', writer: before, reader: now }]
}

/** Returns a schema as the list of its simple alternatives. */
function alternatives(schema: Schema, named: Record<string, Schema>): Schema[] {
  const reference = schema['$ref'] as string | undefined
  if (reference) return alternatives(named[reference.replace('#/$defs/', '')] ?? {}, named)
  const branches = (schema['anyOf'] ?? schema['oneOf']) as Schema[] | undefined
  if (branches) return branches.flatMap((branch) => alternatives(branch, named))
  if (Array.isArray(schema['enum'])) return schema['enum'].map((value: unknown) => ({ const: value }))
  if (Array.isArray(schema['type'])) return schema['type'].map((type: unknown) => ({ ...schema, type }))
  return [schema]
}

const getProperties = (schema: Schema) => (schema['properties'] ?? {}) as Record<string, Schema>
const getRequired = (schema: Schema) => (schema['required'] ?? []) as string[]
/** Returns the schema of the items; `false` follows the last item of a tuple. */
const getItems = ({ items }: Schema) => (items === false ? { const: 'nothing' } : (items ?? {})) as Schema
const isAnything = (schema: Schema) => !('type' in schema) && !('const' in schema) && !('allOf' in schema) && !('not' in schema)

/** Returns the schema of a record's values, under any name. `false` is in every reply's schema, and readers ignore unknown keys. */
function getRecordValues({ additionalProperties }: Schema): Schema | null {
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

/** Compares patterns and formats. Patterns cannot be ordered: only equal ones are known to accept the same. */
function hasSameForm(sent: Schema, taken: Schema): boolean {
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
