import { expect, test } from 'vitest'
import { buildFirstSql, buildPageSql, type PageSpec } from './page-sql.ts'
import type { View } from './view.ts'

const view: View<unknown> = {
  name: 'thing',
  organization: 't.organization_id',
  from: 'things t',
  references: { pr: { table: 'products', foreignKey: 't.product_id', isSmallTable: true } },
  key: 't.id',
  counter: { list: 'things', time: 't.created_at', groups: { product: ['product_id'] } },
  columns: 't.id, t.name',
}

const { key: _key, counter: _counted, ...keyless } = view

const byTime = [
  { by: 't.created_at', descending: true },
  { by: 't.id', descending: true },
]
const byProduct = [{ by: 'pr.name', descending: false }, ...byTime]

const spec: PageSpec = {
  view,
  scopeCondition: 't.organization_id = :organization',
  isMultiOrganization: false,
  where: 'true',
  filterNames: [],
  order: byTime,
  page: 1,
  limit: 10,
}

const isBound = /t\.organization_id = (:organization\b|any\(:organizations\)|asked\.organization_id|other\.organization_id)/g

test.each([
  ['the first page', spec],
  ['a deep page', { ...spec, page: 500 }],
  ['several organizations', { ...spec, isMultiOrganization: true, scopeCondition: 't.organization_id = any(:organizations)' }],
  ['an order through another table', { ...spec, order: byProduct }],
  ['filters of another table', { ...spec, filterNames: ['kind'], where: 'pr.kind = :kind' }],
  ['a nullable order', { ...spec, order: [{ by: 't.name', descending: true, nullCondition: 't.name is null' }, ...byTime] }],
  ['a view without key', { ...spec, view: keyless }],
  ['groups of rows', { ...spec, view: { ...keyless, groupBy: 't.name' } }],
])('%s: every subquery that selects or counts rows has the caller’s scope', (_, pick) => {
  const sql = buildPageSql(pick).replaceAll(/list_counts t\b/g, 'things t')
  // The page's own rows are found by keys selected above.
  const choices = sql.match(/from things t\b(?![^()]*, unnest)/g) ?? []
  expect(choices.length).toBeGreaterThan(1)
  expect(sql.match(isBound)?.length).toBeGreaterThanOrEqual(choices.length)
})

test.each([
  ['one organization', spec],
  ['several', { ...spec, isMultiOrganization: true, scopeCondition: 't.organization_id = any(:organizations)' }],
])('first rows of %s: the subquery that selects them has the caller’s scope', (_, pick) => {
  expect(buildFirstSql(pick).match(isBound)).toHaveLength(1)
})

test('a list without filters, or with product filters only, is counted by counters', () => {
  const count = (filterNames: string[] | undefined, where = 'true') => buildPageSql({ ...spec, filterNames, where })
  expect(count([])).toContain(`t.list = 'things' and t.kind = 'all'`)
  expect(count(['organization_id'])).toContain(`t.kind = 'all'`)
  expect(count(['product_id', 'organization_id'], 't.product_id = :product_id')).toContain(`t.kind = 'product'`)
  for (const names of [undefined, ['name'], ['name', 'product_id']]) {
    expect(count(names)).toContain('count(*)')
    expect(count(names)).not.toContain('list_counts')
  }
})

test('joins other tables only if a filter or the order names them', () => {
  expect(buildPageSql(spec)).not.toContain('products')
  const filtered = buildPageSql({ ...spec, filterNames: ['name'], where: 'pr.name = :name and t.name = :name' })
  expect(filtered.match(/left join products pr on pr\.id = t\.product_id and pr\.organization_id = t\.organization_id/g)).toHaveLength(2)
})

test('finds the rows of a small table first if filters name only its columns, in chronological order', () => {
  const isThrough = (changes: Partial<PageSpec>) =>
    buildPageSql({
      ...spec,
      filterNames: ['kind', 'organization_id'],
      where: 'pr.kind = :kind and t.organization_id = :own',
      ...changes,
    }).includes('from products pr\n      where pr.organization_id = :organization and (pr.kind = :kind and pr.organization_id = :own)')
  expect(isThrough({})).toBe(true)
  expect(isThrough({ page: 100 })).toBe(true)
  expect(isThrough({ page: 101 })).toBe(false)
  expect(isThrough({ where: 'pr.kind = :kind and t.name = :name' })).toBe(false)
  expect(isThrough({ filterNames: undefined })).toBe(false)
  expect(isThrough({ order: byProduct })).toBe(false)
})

test('seeks by day only for deep pages of the whole list in chronological order', () => {
  expect(buildPageSql({ ...spec, page: 101 })).toContain('with seek')
  expect(buildPageSql({ ...spec, page: 100 })).not.toContain('with seek')
  expect(buildPageSql({ ...spec, page: 500, filterNames: ['name'] })).not.toContain('with seek')
  expect(buildPageSql({ ...spec, page: 500, filterNames: undefined })).not.toContain('with seek')
  expect(buildPageSql({ ...spec, page: 500, order: byProduct })).not.toContain('with seek')
})
