import { getOrder } from '@quittance/contracts/orders'
import { getProduct } from '@quittance/contracts/products'
import type { PublicOperation } from '@quittance/contracts/operation'
import { expect, test } from 'vitest'
import { deprecationHeaders } from './send-reply.ts'

test('returns the earliest deprecation date and a link for an operation with deprecated fields', () => {
  expect(deprecationHeaders(getOrder as PublicOperation, 'https://api.example.com')).toEqual({
    deprecation: `@${Date.UTC(2025, 2, 14) / 1000}`,
    link: '<https://api.example.com/v1/changes>; rel="deprecation"; type="application/json"',
  })
})

test('returns no headers for an operation without dated deprecations', () => {
  expect(deprecationHeaders(getProduct as PublicOperation, 'https://api.example.com')).toEqual({})
})
