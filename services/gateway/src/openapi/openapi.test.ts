import { pathVariables } from '@quittance/contracts/operation'
import { publicOperations } from '@quittance/contracts/registry'
import { Validator } from '@seriousme/openapi-schema-validator'
import { expect, test } from 'vitest'
import { openApi } from './openapi.ts'

const description = JSON.parse(JSON.stringify(openApi(publicOperations, 'https://api.quittance.test', 'https://login.quittance.test')))

interface Described {
  operationId: string
  summary: string
  tags: string[]
  security?: unknown[]
  parameters?: { name: string; in: string; description?: string }[]
  requestBody?: { content: { 'application/json': { example?: unknown } } }
  responses: Record<string, { description: string; headers?: object; content?: object }>
}

const described = Object.values(description.paths as Record<string, Record<string, Described>>).flatMap((methods) => Object.values(methods))

test('an independent validator finds nothing wrong with the description', async () => {
  const result = await new Validator().validate(structuredClone(description))
  expect(result.errors ?? []).toEqual([])
  expect(result.valid).toBe(true)
})

test('every operation is there, named once, with its credential, its refusals and their shape', () => {
  expect(described.map(({ operationId }) => operationId).toSorted()).toEqual(publicOperations.map(({ subject }) => subject).toSorted())
  for (const { operationId, security, responses } of described) {
    expect({ operationId, security }).toMatchObject({ operationId, security: expect.any(Array) })
    for (const status of ['422', '429', '500', '503']) expect(Object.keys(responses)).toContain(status)
  }
})

test('every deprecated field of the contracts is marked as such', () => {
  const text = JSON.stringify(description)
  expect(text.split('"x-deprecated-since"').length).toBeGreaterThan(5)
  expect(text.split('"deprecated":true').length).toBeGreaterThanOrEqual(text.split('"x-deprecated-since"').length)
})

test('every body has an example that its own schema takes', () => {
  const refused = described.flatMap(({ operationId, requestBody }) => {
    const operation = publicOperations.find(({ subject }) => subject === operationId)
    if (!requestBody || !operation) return []
    const { example } = requestBody.content['application/json']
    const ids = Object.fromEntries(pathVariables(operation.http).map((name) => [name, '3fa85f64-5717-4562-b3fc-2c963f66afa6']))
    const { error } = operation.request.safeParse({ ...(example as object), ...ids })
    return error
      ? [`${operationId} ${JSON.stringify(example)}: ${error.issues.map(({ path, message }) => `${path.join('.')} ${message}`).join('; ')}`]
      : []
  })
  expect(refused).toEqual([])
})

test('the change history stands in front', () => {
  expect(description.info.description).toContain('2025-06-05')
})
