import { expect, test } from 'vitest'
import { buildWhere } from './list-query.ts'
import { metadataFilter, writePlainNumber } from './metadata-filter.ts'

test.each([
  ['x', ['{"k":"x"}']],
  ['7', ['{"k":"7"}', '{"k":7}']],
  ['-0.50', ['{"k":"-0.50"}', '{"k":-0.50}']],
  ['true', ['{"k":"true"}', '{"k":true}']],
  ['007', ['{"k":"007"}']],
  ['1e', ['{"k":"1e"}']],
  ['"', ['{"k":"\\""}']],
  [
    ['7', 'x'],
    ['{"k":"7"}', '{"k":7}', '{"k":"x"}'],
  ],
  ['9'.repeat(500), [`{"k":"${'9'.repeat(500)}"}`]],
])('a metadata filter %j matches every value with that text', (filterValue, forms) => {
  const { values, isPlanSensitive } = buildWhere({ metadata: metadataFilter('t.metadata', { k: filterValue }) })
  expect([values['metadata_forms'], values['metadata'], isPlanSensitive]).toEqual([
    forms,
    JSON.stringify({ k: [filterValue].flat() }),
    true,
  ])
})

test('a metadata filter without keys adds no condition', () => {
  expect(buildWhere({ metadata: metadataFilter('t.metadata', {}) }).filterNames).toEqual([])
})

test('a metadata filter with a number with an exponent matches that text, and the number as PostgreSQL writes it', () => {
  const { values } = buildWhere({ metadata: metadataFilter('t.metadata', { k: '1e-7', other: '2E+3' }) })
  expect(values).toEqual({
    metadata: '{"k":["1e-7","0.0000001"],"other":["2E+3","2000"]}',
    metadata_forms: ['{"k":"1e-7"}', '{"k":"0.0000001"}', '{"k":0.0000001}'],
  })
})

test.each([
  ['1e-7', '0.0000001'],
  ['1e-07', '0.0000001'],
  ['-1.25E-10', '-0.000000000125'],
  ['1.5e2', '150'],
  ['1.2345e2', '123.45'],
  ['1e+21', '1000000000000000000000'],
  ['5e-324', `0.${'0'.repeat(323)}5`],
  ['1e999', '1e999'],
  ['1e', '1e'],
  ['0.1', '0.1'],
])('writes %s as %s', (text, plain) => {
  expect(writePlainNumber(text)).toBe(plain)
})
