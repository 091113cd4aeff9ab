import {
  Conflict,
  ContentTooLarge,
  InsufficientScope,
  InternalServerError,
  InvalidDpopProof,
  InvalidRequest,
  InvalidToken,
  NotPermitted,
  RequestValidationError,
  ServiceUnavailable,
  TooManyRequests,
  Unauthorized,
  UnsupportedMediaType,
  type ApiError,
  type ErrorClass,
} from '@quittance/contracts/errors'
import type { PublicOperation } from '@quittance/contracts/operation'
import { z } from 'zod'
import { relaxSchema } from './component-schemas.ts'
import { isAnonymous } from './security.ts'

type Json = Record<string, unknown>

/** Errors of the gateway itself, possible for every operation. */
const gatewayErrors: readonly ErrorClass[] = [RequestValidationError, TooManyRequests, InternalServerError, ServiceUnavailable]

/** Errors of a body. */
const bodyErrors: readonly ErrorClass[] = [ContentTooLarge, UnsupportedMediaType]

/** Errors of the verification of a credential. */
const credentialErrors: readonly ErrorClass[] = [
  InvalidRequest,
  Unauthorized,
  InvalidToken,
  InvalidDpopProof,
  InsufficientScope,
  NotPermitted,
]

/** Headers that several responses share, for `components.headers`. */
export const sharedHeaders: Json = {
  'Retry-After': { description: 'Seconds after which the request can be repeated.', schema: { type: 'integer' } },
}

/** Bodies of errors, for `components.schemas`. */
export const errorSchemas: Json = {
  Error: z.toJSONSchema(z.object({ error: z.string(), error_description: z.string().optional(), detail: z.string() }), {
    override: relaxSchema,
  }),
  ValidationError: z.toJSONSchema(
    z.object({
      error: z.literal('RequestValidationError'),
      detail: z.array(z.object({ loc: z.array(z.union([z.string(), z.int()])), msg: z.string(), type: z.string() })),
    }),
    { override: relaxSchema },
  ),
  Problem: z.toJSONSchema(
    z.object({
      type: z.string(),
      title: z.string(),
      status: z.int(),
      detail: z.string().optional(),
      error: z.string().describe('The same word as in `application/json`.'),
      errors: z.array(z.object({ loc: z.array(z.union([z.string(), z.int()])), msg: z.string(), type: z.string() })).optional(),
    }),
    { override: relaxSchema },
  ),
}

/** References to the error responses of an operation by status. Adds each response to `responses`, for `components.responses`, once. */
export function describeErrors({ errors, http, invalid }: PublicOperation, responses: Json): Json {
  const all = new Set<ErrorClass>([
    ...errors,
    ...(isAnonymous(http) ? [] : credentialErrors),
    ...listBodyErrors(http),
    ...gatewayErrors.filter((error) => !invalid || error !== RequestValidationError),
  ])
  const byStatus = Map.groupBy(all, (error) => sample(error).status)
  return Object.fromEntries(
    [...byStatus].map(([status, classes]) => {
      const sorted = classes.toSorted((a, b) => a.name.localeCompare(b.name, 'en'))
      const name = sorted.map((error) => error.name).join('Or')
      responses[name] ??= describeResponse(status, sorted)
      return [status, { $ref: `#/components/responses/${name}` }]
    }),
  )
}

/** `Conflict`: a request with the same `Idempotency-Key` is in progress. */
function listBodyErrors({ method, raw }: PublicOperation['http']): readonly ErrorClass[] {
  if (method === 'GET' || method === 'DELETE') return []
  if (raw) return [ContentTooLarge]
  return method === 'PUT' ? bodyErrors : [...bodyErrors, Conflict]
}

function describeResponse(status: number, classes: readonly ErrorClass[]): Json {
  const words = [...new Set(classes.filter((error) => error !== RequestValidationError).map((error) => sample(error).toBody()['error']))]
  const bodies: Json[] = [
    ...(classes.includes(RequestValidationError) ? [{ $ref: '#/components/schemas/ValidationError' }] : []),
    ...(words.length > 0
      ? [{ $ref: '#/components/schemas/Error', type: 'object', properties: { error: { type: 'string', enum: words } } }]
      : []),
  ]
  return {
    description: classes.map((error) => error.name).join(', '),
    ...((status === 429 || status === 503) && { headers: { 'Retry-After': { $ref: '#/components/headers/Retry-After' } } }),
    content: {
      'application/json': { schema: bodies.length === 1 ? bodies[0] : { anyOf: bodies } },
      'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
    },
  }
}

/** An instance, because status and word of an error are properties of its instances. */
function sample(error: ErrorClass): ApiError {
  const create = error as unknown as new (...parameters: unknown[]) => ApiError
  return new create(error === RequestValidationError ? [] : '', 1)
}
