type Json = Record<string, unknown>

/**
 * Replaces the references of an OpenAPI document to parameters, responses and headers by their targets, so that a test that derives its cases
 * from the document misses none. References to schemas stay.
 */
export function inlineComponents(document: Json): Json {
  const components = (document['components'] ?? {}) as Record<string, Json>
  const inline = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(inline)
    if (typeof value !== 'object' || value === null) return value
    const [, kind = '', name = ''] = /^#\/components\/(parameters|responses|headers)\/(.+)$/.exec(String((value as Json)['$ref'])) ?? []
    const target = components[kind]?.[name]
    if (kind && target === undefined) throw new Error(`The document lacks ${kind} ${name}.`)
    return target === undefined ? Object.fromEntries(Object.entries(value).map(([key, each]) => [key, inline(each)])) : inline(target)
  }
  return { ...document, paths: inline(document['paths']) }
}
