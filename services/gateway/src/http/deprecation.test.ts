import { getOrder } from '@quittance/contracts/orders'
import { getProduct } from '@quittance/contracts/products'
import type { PublicOperation } from '@quittance/contracts/operation'
import { expect, test } from 'vitest'
import { deprecationOf } from './deprecation.ts'

test('an answer with deprecated fields says since when, by the earliest, and where that is explained', () => {
  expect(deprecationOf(getOrder as PublicOperation, 'https://api.example.com')).toEqual({
    deprecation: `@${Date.UTC(2025, 2, 14) / 1000}`,
    link: '<https://api.example.com/v1/changes>; rel="deprecation"; type="application/json"',
  })
})

test('an answer without dated deprecations says nothing', () => {
  expect(deprecationOf(getProduct as PublicOperation, 'https://api.example.com')).toEqual({})
})
