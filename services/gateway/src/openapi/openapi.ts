import { changes } from '@quittance/contracts/changes'
import {
  InsufficientScope,
  InternalServerError,
  InvalidDpopProof,
  InvalidToken,
  RequestValidationError,
  ServiceUnavailable,
  TooManyRequests,
  Unauthorized,
  type ErrorClass,
} from '@quittance/contracts/errors'
import { pathVariables, type PublicOperation } from '@quittance/contracts/operation'
import { scopeSentences } from '@quittance/contracts/scopes'
import { z } from 'zod'
import { exampleOf } from './example.ts'
import { introduction } from './introduction.ts'
import { isOpen, securityOf, securitySchemes } from './security.ts'

type Json = Record<string, unknown>

/** Answers of the door itself, possible for every operation. */
const everywhere: readonly ErrorClass[] = [RequestValidationError, TooManyRequests, InternalServerError, ServiceUnavailable]

/**
 * OpenAPI 3.1 from the contracts: the only description there is.
 * @param baseUrl Public address of the API.
 * @param authUrl Public address of the sign-in pages.
 */
export function openApi(operations: readonly PublicOperation[], baseUrl: string, authUrl = baseUrl): Json {
  const schemas: Json = {}
  const paths: Record<string, Json> = {}
  for (const operation of operations) {
    const { http } = operation
    paths[http.path] = { ...paths[http.path], [http.method.toLowerCase()]: describe(operation, schemas) }
  }
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
    components: {
      schemas: { ...schemas, Error: errorBody, ValidationError: validationBody },
      securitySchemes: securitySchemes(baseUrl, authUrl),
    },
    'x-scopes': scopeSentences,
    'x-changes': changes,
  }
}

const errorBody = z.toJSONSchema(z.object({ error: z.string(), detail: z.string() }))
const validationBody = z.toJSONSchema(
  z.object({
    error: z.literal('RequestValidationError'),
    detail: z.array(z.object({ loc: z.array(z.union([z.string(), z.int()])), msg: z.string(), type: z.string() })),
  }),
)

const comesBack = { 'Retry-After': { description: 'Seconds after which trying again makes sense.', schema: { type: 'integer' } } }

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  schema: {
    type: 'string',
    maxLength: 255,
    description: 'The same request under the same key is done once within 24 hours, and answered alike each time.',
  } as unknown,
}

function describe(operation: PublicOperation, schemas: Json): Json {
  const { http, subject, summary } = operation
  const request = schemaOf(operation.request, { io: 'input', schemas })
  const properties = propertiesOf(request)
  const inPath = pathVariables(http)
  const inQuery = http.method === 'GET' || http.method === 'DELETE'
  const required = new Set((request['required'] as string[] | undefined) ?? [])
  const parameters = Object.entries(properties)
    .filter(([name]) => (inPath.includes(name) || inQuery) && !(http.document && name === 'after'))
    .map(([name, schema]) => ({
      name,
      in: inPath.includes(name) ? 'path' : 'query',
      required: inPath.includes(name) || required.has(name),
      schema,
    }))
  if (http.method === 'POST' || http.method === 'PATCH') parameters.push(idempotencyKey)
  const hasBody = !inQuery && Object.keys(properties).some((name) => !inPath.includes(name))
  return {
    operationId: subject,
    tags: [subject.split('.')[1]],
    summary,
    security: securityOf(http),
    ...(parameters.length > 0 && { parameters }),
    ...(hasBody && { requestBody: { required: true, content: bodyOf(withoutPath(request, inPath), schemas) } }),
    responses: { [http.status]: answer(operation, schemas), ...refusals(operation) },
  }
}

function answer({ reply, summary, http }: PublicOperation, schemas: Json): Json {
  return http.status === 204
    ? { description: summary }
    : http.document
      ? { description: summary, content: asText(http.document.contentType) }
      : { description: summary, content: replyOf(schemaOf(reply, { io: 'output', schemas }), schemas) }
}

/** A document as it is, or as one JSON string for clients that read nothing else. */
function asText(contentType: string): Json {
  const schema = { type: 'string' }
  return { [contentType.split(';')[0] as string]: { schema }, 'application/json': { schema } }
}

/** One response per status, naming the errors that come with it. */
function refusals({ errors, http }: PublicOperation): Json {
  const credential = isOpen(http) ? [] : [Unauthorized, InvalidToken, InvalidDpopProof, InsufficientScope]
  const all = [...new Set<ErrorClass>([...errors, ...credential, ...everywhere])]
  const byStatus = Map.groupBy(all, (error) => statusOf(error))
  return Object.fromEntries(
    [...byStatus].map(([status, classes]) => {
      const bodies = classes.map((error) => ({
        $ref: `#/components/schemas/${error === RequestValidationError ? 'ValidationError' : 'Error'}`,
      }))
      const distinct = [...new Map(bodies.map((body) => [body.$ref, body])).values()]
      return [
        status,
        {
          description: classes.map((error) => error.name).join(', '),
          ...((status === 429 || status === 503) && { headers: comesBack }),
          content: json(distinct.length === 1 ? distinct[0] : { anyOf: distinct }),
        },
      ]
    }),
  )
}

/** Every error class sets its status in the instance and asks nothing of its parameters before that. */
function statusOf(error: ErrorClass): number {
  const make = error as unknown as new (...parameters: unknown[]) => { status: number }
  return new make(error === RequestValidationError ? [] : '', 1).status
}

function bodyOf(schema: Json, schemas: Json): Json {
  return { 'application/json': { schema, example: exampleOf(schema, schemas, { isRequest: true }) } }
}

function replyOf(schema: Json, schemas: Json): Json {
  return { 'application/json': { schema, example: exampleOf(schema, schemas) } }
}

function json(schema: unknown): Json {
  return { 'application/json': { schema } }
}

function schemaOf(schema: z.ZodType, { io, schemas }: { io: 'input' | 'output'; schemas: Json }): Json {
  const { $defs, $schema: _, ...own } = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Json & { $defs?: Json }
  Object.assign(schemas, JSON.parse(JSON.stringify($defs ?? {}).replaceAll('#/$defs/', '#/components/schemas/')))
  return JSON.parse(JSON.stringify(own).replaceAll('#/$defs/', '#/components/schemas/')) as Json
}

function propertiesOf(schema: Json): Json {
  const branches = (schema['anyOf'] as Json[] | undefined) ?? [schema]
  return Object.assign({}, ...branches.map((branch) => branch['properties'] as Json | undefined)) as Json
}

function withoutPath(schema: Json, inPath: readonly string[]): Json {
  if (inPath.length === 0) return schema
  const branches = schema['anyOf'] as Json[] | undefined
  if (branches) return { ...schema, anyOf: branches.map((branch) => withoutPath(branch, inPath)) }
  const properties = Object.fromEntries(Object.entries(propertiesOf(schema)).filter(([name]) => !inPath.includes(name)))
  const required = ((schema['required'] as string[] | undefined) ?? []).filter((name) => !inPath.includes(name))
  return { ...schema, properties, ...(required.length > 0 ? { required } : { required: undefined }) }
}
