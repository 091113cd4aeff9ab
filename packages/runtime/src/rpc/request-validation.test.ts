import { listOrders } from '@quittance/contracts/orders'
import { expect, test } from 'vitest'
import { parseRequest } from './request-validation.ts'

test.each([
  ['one value', 'password', ['query', 'sorting']],
  ['a list', ['created_at', 'password'], ['query', 'sorting', 1]],
])('an unknown sorting criterion as %s is reported with the known ones', (_, sorting, loc) => {
  const issue = { loc, type: 'enum', msg: expect.stringContaining('created_at') }
  expect(() => parseRequest(listOrders, JSON.stringify({ sorting }))).toThrow(expect.objectContaining({ issues: [issue] }))
})
