import { pathVariables } from '@quittance/contracts/operation'
import { publicEvents, publicOperations } from '@quittance/contracts/registry'
import { Validator } from '@seriousme/openapi-schema-validator'
import { expect, test } from 'vitest'
import type { z } from 'zod'
import { buildOpenApi } from './build-openapi.ts'

const description = JSON.parse(
  JSON.stringify(
    buildOpenApi({ operations: publicOperations, events: publicEvents }, 'https://api.quittance.test', 'https://login.quittance.test'),
  ),
)

interface Described {
  operationId: string
  summary: string
  tags: string[]
  security?: unknown[]
  parameters?: { name: string; in: string; description?: string }[]
  requestBody?: { required: boolean; content: { 'application/json': { example?: unknown } } }
  responses: Record<string, { description: string; headers?: object; content?: object }>
}

const described = Object.values(description.paths as Record<string, Record<string, Described>>).flatMap((methods) => Object.values(methods))

test('passes an independent validator', async () => {
  const result = await new Validator().validate(structuredClone(description))
  expect(result.errors ?? []).toEqual([])
  expect(result.valid).toBe(true)
})

test('contains every operation once, with its credential and its errors', () => {
  expect(described.map(({ operationId }) => operationId).toSorted()).toEqual(publicOperations.map(({ subject }) => subject).toSorted())
  for (const { operationId, security, responses } of described) {
    expect({ operationId, security }).toMatchObject({ operationId, security: expect.any(Array) })
    const hasOwnError = publicOperations.find(({ subject }) => subject === operationId)?.invalid !== undefined
    for (const status of [hasOwnError ? '400' : '422', '429', '500', '503']) expect(Object.keys(responses)).toContain(status)
  }
})

test('declares the errors of a body where there is one, and every error as a problem', () => {
  for (const { http, subject } of publicOperations) {
    const { responses = {} } = described.find(({ operationId }) => operationId === subject) ?? {}
    const isCommand = http.method === 'POST' || http.method === 'PATCH'
    const withBody = http.raw ? ['413'] : isCommand ? ['409', '413', '415'] : ['413', '415']
    const expected = http.method === 'GET' || http.method === 'DELETE' ? [] : withBody
    expect({ subject, statuses: Object.keys(responses) }).toEqual({ subject, statuses: expect.arrayContaining(expected) })
  }
  const errors = Object.values(description.components.responses as Record<string, { content: object }>)
  for (const { content } of errors) expect(Object.keys(content)).toEqual(['application/json', 'application/problem+json'])
})

test('marks every deprecated field of the contracts', () => {
  const text = JSON.stringify(description)
  expect(text.split('"x-deprecated-since"').length).toBeGreaterThan(5)
  expect(text.split('"deprecated":true').length).toBeGreaterThanOrEqual(text.split('"x-deprecated-since"').length)
})

test('describes the body of every operation that takes more than its path', () => {
  const withBody = publicOperations.filter(({ http, request }) => {
    const variants = 'options' in request ? (request.options as z.ZodObject[]) : [request]
    const names = variants.flatMap((variant) => Object.keys(('shape' in variant && variant.shape) || { variant }))
    return ['POST', 'PATCH'].includes(http.method) && names.some((name) => !pathVariables(http).includes(name))
  })
  expect(withBody.length).toBeGreaterThan(50)
  const bodies = new Map(described.map(({ operationId, requestBody }) => [operationId, requestBody]))
  expect(withBody.filter(({ subject }) => !bodies.get(subject)).map(({ subject }) => subject)).toEqual([])
})

test('a body is optional where a request is complete without one', () => {
  const required = new Map(described.map(({ operationId, requestBody }) => [operationId, requestBody?.required]))
  expect(required.get('webhooks.event.redeliver')).toBe(false)
  expect(['orders.checkout.create', 'orders.product.create', 'webhooks.endpoint.update'].map((id) => required.get(id))).toEqual([
    true,
    true,
    true,
  ])
})

test('contains an example for every body that is valid for its schema', () => {
  const invalidExamples = described.flatMap(({ operationId, requestBody }) => {
    const operation = publicOperations.find(({ subject }) => subject === operationId)
    if (!requestBody || !operation || operation.http.raw) return []
    const { example } = requestBody.content['application/json']
    const ids = Object.fromEntries(pathVariables(operation.http).map((name) => [name, '3fa85f64-5717-4562-b3fc-2c963f66afa6']))
    const { error } = operation.request.safeParse({ ...(example as object), ...ids })
    return error
      ? [`${operationId} ${JSON.stringify(example)}: ${error.issues.map(({ path, message }) => `${path.join('.')} ${message}`).join('; ')}`]
      : []
  })
  expect(invalidExamples).toEqual([])
})

test('a reply may have more members than it declares, as prices and errors have', () => {
  expect(JSON.stringify(description)).not.toContain('"additionalProperties":false')
})

test('describes the body of every event that is sent to webhook endpoints', () => {
  const webhooks = description.webhooks as Record<string, { post: { requestBody: unknown } }>
  expect(Object.keys(webhooks)).toEqual(publicEvents.map(({ webhookType }) => webhookType))
  const properties = { type: { const: 'order.paid' }, data: { $ref: '#/components/schemas/Order' } }
  expect(webhooks['order.paid']?.post.requestBody).toMatchObject({ content: { 'application/json': { schema: { properties } } } })
})

test('contains the change history in its description', () => {
  expect(description.info.description).toContain('2025-06-05')
})
