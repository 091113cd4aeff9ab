import { listOrders } from '@quittance/contracts/orders'
import { listProducts } from '@quittance/contracts/products'
import { expect, test } from 'vitest'
import { queryDecoder } from './query.ts'

test('numbers and booleans come out typed where the contract wants them', () => {
  expect(queryDecoder(listProducts)({ page: '2', limit: '50', is_archived: 'false' })).toEqual({ page: 2, limit: 50, is_archived: false })
})

test('text that is not exactly a number stays text, for the owner to refuse', () => {
  expect(queryDecoder(listProducts)({ page: '2x', limit: '1e3', is_archived: 'yes' })).toEqual({
    page: '2x',
    limit: '1e3',
    is_archived: 'yes',
  })
})

test('a repeated parameter is a list', () => {
  expect(queryDecoder(listOrders)({ sorting: ['-created_at', 'amount'] })).toEqual({ sorting: ['-created_at', 'amount'] })
})

test('metadata[key]=value becomes an object', () => {
  expect(queryDecoder(listOrders)({ 'metadata[plan]': 'pro', 'metadata[seat]': ['1', '2'] })).toEqual({
    metadata: { plan: 'pro', seat: ['1', '2'] },
  })
})

test('what the contract does not name is dropped', () => {
  expect(queryDecoder(listOrders)({ organization: 'x', '__proto__[a]': 'b' })).toEqual({})
})

test('brackets that mean nothing are left for the owner to refuse, not passed over', () => {
  expect(queryDecoder(listOrders)({ 'page[]': '1' })).toEqual({ page: { 'page[]': '1' } })
  expect(queryDecoder(listOrders)({ 'metadata[a][b]': 'c' })).toEqual({ metadata: { 'metadata[a][b]': 'c' } })
})
