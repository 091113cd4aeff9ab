/**
 * Compares two OpenAPI documents without descriptions, examples and the way they share components: operations, parameters, bodies, statuses and
 * schemas. Arguments: the older and the newer file. Prints each difference; the exit code is 1 if there is one.
 */
import { readFileSync } from 'node:fs'

type Json = Record<string, unknown>

const [older, newer] = process.argv.slice(2).map((file) => normalize(JSON.parse(readFileSync(file, 'utf8')) as Json))
if (!older || !newer) throw new Error('Two files are needed.')
const differences = [...new Set([...older.keys(), ...newer.keys()])].filter((key) => older.get(key) !== newer.get(key))
for (const key of differences) console.log(`${key}\n  older: ${older.get(key) ?? 'none'}\n  newer: ${newer.get(key) ?? 'none'}`)
console.log(`${older.size} facts in the older document, ${newer.size} in the newer one, ${differences.length} differences.`)
process.exitCode = differences.length > 0 ? 1 : 0

/** What a client relies on, one entry per part of an operation, with every reference replaced by its target. */
function normalize(document: Json): Map<string, string> {
  const facts = new Map<string, string>()
  for (const [path, methods] of Object.entries(document['paths'] as Record<string, Json>)) {
    for (const [method, value] of Object.entries(methods)) {
      const operation = inline(value, document, []) as Json
      const name = `${method.toUpperCase()} ${path}`
      facts.set(`${name} id and security`, JSON.stringify([operation['operationId'], operation['tags'], operation['security']]))
      for (const parameter of (operation['parameters'] ?? []) as Json[]) {
        facts.set(`${name} parameter ${String(parameter['in'])} ${String(parameter['name'])}`, JSON.stringify(sortKeys(parameter)))
      }
      if (operation['requestBody']) facts.set(`${name} request body`, JSON.stringify(sortKeys(operation['requestBody'])))
      for (const [status, response] of Object.entries(operation['responses'] as Record<string, Json>)) {
        facts.set(
          `${name} response ${status}`,
          Number(status) < 400 ? JSON.stringify(sortKeys(response)) : errorsIn(methods, { method, status, document }),
        )
      }
    }
  }
  return facts
}

/** The error names of a response: both forms of the document list them in its description. */
function errorsIn(methods: Json, { method, status, document }: { method: string; status: string; document: Json }): string {
  const responses = (methods[method] as Json)['responses'] as Record<string, Json>
  const response = follow(responses[status] as Json, document)
  return String(response['description'])
    .split(', ')
    .toSorted((a, b) => a.localeCompare(b, 'en'))
    .join(', ')
}

function inline(value: unknown, document: Json, within: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((each) => inline(each, document, within))
  if (typeof value !== 'object' || value === null) return value
  const { $ref, ...rest } = value as Json & { $ref?: string }
  if ($ref && within.includes($ref)) return { recursive: $ref }
  const target = $ref ? (inline(follow({ $ref }, document), document, [...within, $ref]) as Json) : {}
  const own = Object.entries(rest).filter(
    ([key, each]) => !(key === 'description' && typeof each === 'string') && key !== 'example' && key !== 'examples',
  )
  return { ...target, ...Object.fromEntries(own.map(([key, each]) => [key, inline(each, document, within)])) }
}

function follow(value: Json, document: Json): Json {
  const reference = value['$ref'] as string | undefined
  if (!reference) return value
  const target = reference
    .slice(2)
    .split('/')
    .reduce<unknown>((at, key) => (at as Json)[key], document)
  return follow(target as Json, document)
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => a.localeCompare(b, 'en'))
      .map(([key, each]) => [key, sortKeys(each)]),
  )
}
