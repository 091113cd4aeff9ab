import { changes } from '@quittance/contracts/changes'
import { pathVariables, type PublicOperation } from '@quittance/contracts/operation'
import type { PublicEvent } from '@quittance/contracts/registry'
import { buildExample } from '@quittance/contracts/schema-example'
import { personalScopeDescriptions, scopeDescriptions } from '@quittance/contracts/scopes'
import { toSchema } from './component-schemas.ts'
import { describeWebhooks, webhookParameters } from './describe-webhooks.ts'
import { describeErrors, errorSchemas, sharedHeaders } from './error-responses.ts'
import { introduction } from './introduction.ts'
import { securityRequirements, securitySchemes } from './security.ts'
import { shareParameters, type Parameter } from './shared-parameters.ts'

type Json = Record<string, unknown>

interface Components {
  schemas: Json
  responses: Json
}

interface Contracts {
  operations: readonly PublicOperation[]
  /** What is sent to webhook endpoints. */
  events: readonly PublicEvent[]
}

interface OperationObject extends Json {
  parameters?: Parameter[]
}

/**
 * Builds the OpenAPI 3.1 document from the contracts. Error responses, headers, repeated parameters and the examples of replies are
 * components.
 * @param baseUrl Public address of the API.
 * @param authUrl Public address of the sign-in pages.
 */
export function buildOpenApi({ operations, events }: Contracts, baseUrl: string, authUrl = baseUrl): Json {
  const components: Components = { schemas: {}, responses: {} }
  const described = operations.map((operation) => ({ http: operation.http, object: describeOperation(operation, components) }))
  const parameters = shareParameters(described.map(({ object }) => object))
  const paths: Record<string, Json> = {}
  for (const { http, object } of described) paths[http.path] = { ...paths[http.path], [http.method.toLowerCase()]: object }
  const webhooks = describeWebhooks(events, components.schemas)
  return {
    openapi: '3.1.0',
    info: {
      title: 'Quittance',
      version: '1',
      summary: 'Checkouts, orders, invoices and webhooks.',
      description: introduction,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: baseUrl }],
    paths,
    webhooks,
    components: {
      schemas: { ...withExamples(components.schemas, paths), ...errorSchemas },
      responses: components.responses,
      parameters: { ...parameters, ...webhookParameters },
      headers: sharedHeaders,
      securitySchemes: securitySchemes(baseUrl, authUrl),
    },
    'x-scopes': { ...scopeDescriptions, ...personalScopeDescriptions },
    'x-changes': changes,
  }
}

const idempotencyKey: Parameter = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  schema: {
    type: 'string',
    maxLength: 255,
    description: 'Executes the same request under the same key once within 24 hours; repetitions return the stored reply.',
  },
}

function describeOperation(operation: PublicOperation, components: Components): OperationObject {
  const { http, subject, summary } = operation
  const request = toSchema(operation.request, { io: 'input', schemas: components.schemas })
  const inPath = pathVariables(http)
  const inQuery = http.method === 'GET' || http.method === 'DELETE'
  const parameters = describeParameters(operation, request)
  const hasBody = !inQuery && !http.raw && Object.keys(propertiesOfSchema(request)).some((name) => !inPath.includes(name))
  return {
    operationId: subject,
    tags: [subject.split('.')[1]],
    summary,
    security: securityRequirements(http),
    ...(parameters.length > 0 && { parameters }),
    ...(http.raw && { requestBody: { required: true, content: { '*/*': { schema: { type: 'string', format: 'binary' } } } } }),
    ...(hasBody && {
      requestBody: { required: !canOmitBody(operation), content: describeBody(withoutPath(request, inPath), components.schemas) },
    }),
    responses: { [http.status]: describeReply(operation, components.schemas), ...describeErrors(operation, components.responses) },
  }
}

/** Whether the request is complete without a body. A change without one would be valid, but change nothing. */
function canOmitBody({ http, request }: PublicOperation): boolean {
  const inPath = Object.fromEntries(pathVariables(http).map((name) => [name, '3fa85f64-5717-4562-b3fc-2c963f66afa6']))
  return http.method === 'POST' && request.safeParse(inPath).success
}

function describeParameters({ http }: PublicOperation, request: Json): Parameter[] {
  const inPath = pathVariables(http)
  const inQuery = http.method === 'GET' || http.method === 'DELETE'
  const required = new Set((request['required'] as string[] | undefined) ?? [])
  const parameters = Object.entries(propertiesOfSchema(request))
    .filter(([name]) => (inPath.includes(name) || inQuery) && !(http.document && name === 'after'))
    .map(([name, schema]) => ({
      name,
      in: inPath.includes(name) ? 'path' : 'query',
      required: inPath.includes(name) || required.has(name),
      schema,
    }))
  if (http.raw)
    return [...parameters, ...http.raw.headers.map((name) => ({ name, in: 'header', required: true, schema: { type: 'string' } }))]
  return http.method === 'POST' || http.method === 'PATCH' ? [...parameters, idempotencyKey] : parameters
}

function describeReply({ reply, summary, http }: PublicOperation, schemas: Json): Json {
  if (http.status === 204) return { description: summary }
  if (http.document) return { description: summary, content: describeDocument(http.document.contentType) }
  return { description: summary, content: { 'application/json': { schema: toSchema(reply, { io: 'output', schemas }) } } }
}

/** A document is returned in its own format, or as one JSON string to clients that accept nothing else. */
function describeDocument(contentType: string): Json {
  const schema = { type: 'string' }
  return { [contentType.split(';')[0] as string]: { schema }, 'application/json': { schema } }
}

function describeBody(schema: Json, schemas: Json): Json {
  return { 'application/json': { schema, example: buildExample(schema, schemas, { isRequest: true }) } }
}

/** Gives every component that a reply names an example; the replies themselves need none then. */
function withExamples(schemas: Json, paths: Json): Json {
  const named = new Set([...JSON.stringify(paths).matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(([, name]) => name))
  return Object.fromEntries(
    Object.entries(schemas as Record<string, Json>).map(([name, schema]) => {
      const isReplyObject = named.has(name) && schema['type'] === 'object' && !name.endsWith('Input')
      return [name, isReplyObject ? { ...schema, examples: [buildExample({ $ref: name }, schemas)] } : schema]
    }),
  )
}

/** Name of the member that has the variants of a schema; undefined if it is not a union. */
const variantsKey = (schema: Json) => (['anyOf', 'oneOf'] as const).find((key) => key in schema)

/** Returns the properties of an object, or of all variants of a union. */
function propertiesOfSchema(schema: Json): Json {
  const key = variantsKey(schema)
  if (!key) return (schema['properties'] ?? {}) as Json
  return Object.assign({}, ...(schema[key] as Json[]).map(propertiesOfSchema)) as Json
}

function withoutPath(schema: Json, inPath: readonly string[]): Json {
  if (inPath.length === 0) return schema
  const key = variantsKey(schema)
  if (key) return { ...schema, [key]: (schema[key] as Json[]).map((variant) => withoutPath(variant, inPath)) }
  const properties = Object.fromEntries(Object.entries(propertiesOfSchema(schema)).filter(([name]) => !inPath.includes(name)))
  const required = ((schema['required'] as string[] | undefined) ?? []).filter((name) => !inPath.includes(name))
  return { ...schema, properties, ...(required.length > 0 ? { required } : { required: undefined }) }
}
