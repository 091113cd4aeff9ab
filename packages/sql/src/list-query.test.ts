import { expect, test } from 'vitest'
import { toArray, nullable, buildSortOrder, buildWhere } from './list-query.ts'

const columns = { created_at: 't.created_at', amount: 't.net', net: 't.net', name: nullable('t.name') }

test('a sort order ends with tie-breakers in the last direction and names no column twice', () => {
  expect(buildSortOrder(columns, { sorting: ['amount', '-net', '-created_at'], tieBreakers: ['t.created_at', 't.id'] })).toEqual([
    { by: 't.net', descending: false },
    { by: 't.created_at', descending: true },
    { by: 't.id', descending: true },
  ])
})

test('accepts only known columns to sort by', () => {
  expect(() => buildSortOrder(columns, { sorting: ['-id; drop table t'], tieBreakers: [] })).toThrow(/No column to sort by/)
})

test('a nullable column has a condition for missing values', () => {
  expect(buildSortOrder(columns, { sorting: ['-name'], tieBreakers: [] })).toEqual([
    { by: 't.name', nullCondition: 't.name is null', descending: true },
  ])
})

test('only filters with a value become conditions; one value uses `=`, several use `any`', () => {
  const conditions = (product: string | string[] | undefined) => ({
    product: { sql: 't.product = any(:product)', value: toArray(product) },
    other: { sql: 't.other = :other', value: undefined },
  })
  expect(buildWhere(conditions(['a', 'b']))).toMatchObject({ where: '(t.product = any(:product))', values: { product: ['a', 'b'] } })
  expect(buildWhere(conditions('a'))).toMatchObject({ where: '(t.product = :product)', values: { product: 'a' }, filterNames: ['product'] })
  expect(buildWhere(conditions([]))).toMatchObject({ where: '(t.product = any(:product))', values: { product: [] } })
  expect(buildWhere(conditions(undefined))).toEqual({ where: 'true', values: {}, filterNames: [], isPlanSensitive: false })
})
