import { expect, test } from 'vitest'
import { inlineComponents } from './inline-components.ts'

const schema = { $ref: '#/components/schemas/A' }
const document = {
  paths: {
    '/a': {
      get: {
        parameters: [{ $ref: '#/components/parameters/page' }, { name: 'x', schema }],
        responses: { 429: { $ref: '#/components/responses/Busy' } },
      },
    },
  },
  components: {
    parameters: { page: { name: 'page', in: 'query' } },
    responses: { Busy: { description: 'Busy', headers: { 'Retry-After': { $ref: '#/components/headers/Retry-After' } } } },
    headers: { 'Retry-After': { description: 'Seconds' } },
  },
}

test('replaces parameters, responses and headers, and keeps references to schemas', () => {
  expect(inlineComponents(document)['paths']).toEqual({
    '/a': {
      get: {
        parameters: [
          { name: 'page', in: 'query' },
          { name: 'x', schema },
        ],
        responses: { 429: { description: 'Busy', headers: { 'Retry-After': { description: 'Seconds' } } } },
      },
    },
  })
})

test('rejects a reference without a target', () => {
  expect(() => inlineComponents({ paths: { $ref: '#/components/parameters/none' } })).toThrow('lacks parameters none')
})
