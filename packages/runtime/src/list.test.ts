import { expect, test } from 'vitest'
import { asList, metadataFilter, nullable, orderBy, whereGiven } from './list.ts'

const columns = { created_at: 't.created_at', amount: 't.net', net: 't.net', name: nullable('t.name') }

test('an order ends with its ties in the direction of the last word, and has no column twice', () => {
  expect(orderBy(columns, { sorting: ['amount', '-net', '-created_at'], ties: ['t.created_at', 't.id'] })).toEqual([
    { by: 't.net', descending: false },
    { by: 't.created_at', descending: true },
    { by: 't.id', descending: true },
  ])
})

test('only known columns can be sorted by', () => {
  expect(() => orderBy(columns, { sorting: ['-id; drop table t'], ties: [] })).toThrow(/No column to sort by/)
})

test('a nullable column says when there is no value', () => {
  expect(orderBy(columns, { sorting: ['-name'], ties: [] })).toEqual([{ by: 't.name', absent: 't.name is null', descending: true }])
})

test('filters that were given, and no others, are conditions; one value is compared by `=`, several by `any`', () => {
  const conditions = (product: string | string[] | undefined) => ({
    product: { sql: 't.product = any(:product)', value: asList(product) },
    other: { sql: 't.other = :other', value: undefined },
  })
  expect(whereGiven(conditions(['a', 'b']))).toMatchObject({ where: '(t.product = any(:product))', values: { product: ['a', 'b'] } })
  expect(whereGiven(conditions('a'))).toMatchObject({ where: '(t.product = :product)', values: { product: 'a' }, given: ['product'] })
  expect(whereGiven(conditions([]))).toMatchObject({ where: '(t.product = any(:product))', values: { product: [] } })
  expect(whereGiven(conditions(undefined))).toEqual({ where: 'true', values: {}, given: [], isUneven: false })
})

test.each([
  ['x', ['{"k":"x"}']],
  ['7', ['{"k":"7"}', '{"k":7}']],
  ['-0.50', ['{"k":"-0.50"}', '{"k":-0.50}']],
  ['true', ['{"k":"true"}', '{"k":true}']],
  ['007', ['{"k":"007"}']],
  ['1e9', ['{"k":"1e9"}']],
  ['"', ['{"k":"\\""}']],
  [
    ['7', 'x'],
    ['{"k":"7"}', '{"k":7}', '{"k":"x"}'],
  ],
  ['9'.repeat(500), [`{"k":"${'9'.repeat(500)}"}`]],
])('metadata that reads as %j is sought as every value with that text', (wanted, forms) => {
  const { values, isUneven } = whereGiven({ metadata: metadataFilter('t.metadata', { k: wanted }) })
  expect([values['metadata_forms'], values['metadata'], isUneven]).toEqual([forms, JSON.stringify({ k: wanted }), true])
})

test('a metadata filter without keys is none', () => {
  expect(whereGiven({ metadata: metadataFilter('t.metadata', {}) }).given).toEqual([])
})
