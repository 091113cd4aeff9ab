import { expect, test } from 'vitest'
import { pageSql, type PageRows } from './page.ts'
import type { View } from './view.ts'

const view: View<unknown> = {
  name: 'thing',
  organization: 't.organization_id',
  from: 'things t',
  references: { pr: { table: 'products', of: 't.product_id', isCatalogue: true } },
  key: 't.id',
  counted: { list: 'things', time: 't.created_at', productFilters: ['product_id'] },
  columns: 't.id, t.name',
}

const { key: _key, counted: _counted, ...keyless } = view

const byTime = [
  { by: 't.created_at', descending: true },
  { by: 't.id', descending: true },
]
const byProduct = [{ by: 'pr.name', descending: false }, ...byTime]

const asked: PageRows = {
  view,
  binding: 't.organization_id = :organization',
  isAcross: false,
  where: 'true',
  given: [],
  order: byTime,
  page: 1,
  limit: 10,
}

const isBound = /t\.organization_id = (:organization\b|any\(:organizations\)|asked\.organization_id|other\.organization_id)/g

test.each([
  ['the first page', asked],
  ['a deep page', { ...asked, page: 500 }],
  ['several organizations', { ...asked, isAcross: true, binding: 't.organization_id = any(:organizations)' }],
  ['an order through another table', { ...asked, order: byProduct }],
  ['a nullable order', { ...asked, order: [{ by: 't.name', descending: true, absent: 't.name is null' }, ...byTime] }],
  ['a view without key', { ...asked, view: keyless }],
])('%s: everything that chooses or counts rows is bound to the caller’s organizations', (_, pick) => {
  const sql = pageSql(pick).replaceAll(/list_counts t\b/g, 'things t')
  // The page's own rows are found by keys that were chosen above.
  const choices = sql.match(/from things t\b(?![^()]*, unnest)/g) ?? []
  expect(choices.length).toBeGreaterThan(1)
  expect(sql.match(isBound)?.length).toBeGreaterThanOrEqual(choices.length)
})

test('a list without filters, or with filters by product, is not counted but summed up', () => {
  const count = (given: string[] | undefined, where = 'true') => pageSql({ ...asked, given, where })
  expect(count([])).toContain(`t.list = 'things' and t.kind = 'all'`)
  expect(count(['organization_id'])).toContain(`t.kind = 'all'`)
  expect(count(['product_id', 'organization_id'], 't.product_id = :product_id')).toContain(`t.kind = 'product'`)
  for (const given of [undefined, ['name'], ['name', 'product_id']]) {
    expect(count(given)).toContain('count(*)')
    expect(count(given)).not.toContain('list_counts')
  }
})

test('other tables are joined only where a filter or the order names them', () => {
  expect(pageSql(asked)).not.toContain('products')
  const filtered = pageSql({ ...asked, given: ['name'], where: 'pr.name = :name' })
  expect(filtered.match(/left join products pr on pr\.id = t\.product_id and pr\.organization_id = t\.organization_id/g)).toHaveLength(2)
})

test('days are sought only on deep pages of the whole list in the order of time', () => {
  expect(pageSql({ ...asked, page: 101 })).toContain('with seek')
  expect(pageSql({ ...asked, page: 100 })).not.toContain('with seek')
  expect(pageSql({ ...asked, page: 500, given: ['name'] })).not.toContain('with seek')
  expect(pageSql({ ...asked, page: 500, given: undefined })).not.toContain('with seek')
  expect(pageSql({ ...asked, page: 500, order: byProduct })).not.toContain('with seek')
})
