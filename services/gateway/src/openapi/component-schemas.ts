import { z } from 'zod'

type Json = Record<string, unknown>

/**
 * Changes what clients and generators would reject, for `z.toJSONSchema`. Replies may have more members than they declare: variants share the
 * columns of their table, and later releases add members. Generators do not accept `items: false`, which means the same as the `maxItems`
 * beside it.
 */
export function relaxSchema({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
  if (jsonSchema.prefixItems && jsonSchema.items === false) delete jsonSchema.items
}

/** Converts a schema of the contracts. Adds the components that it names to `schemas`, for `components.schemas`. */
export function toSchema(schema: z.ZodType, { io, schemas }: { io: 'input' | 'output'; schemas: Json }): Json {
  const {
    $defs,
    $schema: _,
    ...own
  } = z.toJSONSchema(schema, { io, unrepresentable: 'any', override: relaxSchema }) as Json & { $defs?: Json }
  Object.assign(schemas, JSON.parse(JSON.stringify($defs ?? {}).replaceAll('#/$defs/', '#/components/schemas/')))
  return JSON.parse(JSON.stringify(own).replaceAll('#/$defs/', '#/components/schemas/')) as Json
}
