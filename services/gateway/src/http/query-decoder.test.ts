import { listOrders } from '@quittance/contracts/orders'
import { listProducts } from '@quittance/contracts/products'
import { expect, test } from 'vitest'
import { queryDecoder } from './query-decoder.ts'

test('converts numbers and booleans to the types of the contract', () => {
  expect(queryDecoder(listProducts)({ page: '2', limit: '50', is_archived: 'false' })).toEqual({ page: 2, limit: 50, is_archived: false })
})

test('leaves text that is not exactly a number unchanged, for the owner to reject', () => {
  expect(queryDecoder(listProducts)({ page: '2x', limit: '1e3', is_archived: 'yes' })).toEqual({
    page: '2x',
    limit: '1e3',
    is_archived: 'yes',
  })
})

test('converts a repeated parameter to a list', () => {
  expect(queryDecoder(listOrders)({ sorting: ['-created_at', 'amount'] })).toEqual({ sorting: ['-created_at', 'amount'] })
})

test('converts metadata[key]=value to an object', () => {
  expect(queryDecoder(listOrders)({ 'metadata[plan]': 'pro', 'metadata[seat]': ['1', '2'] })).toEqual({
    metadata: { plan: 'pro', seat: ['1', '2'] },
  })
})

test('drops parameters that the contract does not define', () => {
  expect(queryDecoder(listOrders)({ organization: 'x', '__proto__[a]': 'b' })).toEqual({})
})

test('keeps brackets without a meaning for the owner to reject', () => {
  expect(queryDecoder(listOrders)({ 'page[]': '1' })).toEqual({ page: { 'page[]': '1' } })
  expect(queryDecoder(listOrders)({ 'metadata[a][b]': 'c' })).toEqual({ metadata: { 'metadata[a][b]': 'c' } })
})
