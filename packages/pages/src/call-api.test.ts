import { verifyToken } from '@quittance/contracts/auth'
import { getCheckoutByClient, updateCheckoutByClient } from '@quittance/contracts/checkouts'
import { listCustomerOrders } from '@quittance/contracts/customer-portal'
import { expect, test } from 'vitest'
import { bindRequest } from './call-api.ts'

test('a path variable cannot leave its place in the path', () => {
  expect(bindRequest(getCheckoutByClient, { client_secret: '../../v1/orders?x=#' }).path).toBe(
    '/v1/checkouts/client/..%2F..%2Fv1%2Forders%3Fx%3D%23',
  )
})

test('the rest of a request is the query of a GET and the body of a PATCH', () => {
  expect(bindRequest(listCustomerOrders, { page: 2, sorting: ['-created_at'] })).toEqual({
    method: 'GET',
    path: '/v1/customer-portal/orders/?page=2&sorting=-created_at',
    body: null,
  })
  expect(bindRequest(updateCheckoutByClient, { client_secret: 'x', discount_code: null })).toMatchObject({
    path: '/v1/checkouts/client/x',
    body: '{"discount_code":null}',
  })
})

test('an operation without an HTTP binding cannot be called', () => {
  expect(() => bindRequest(verifyToken, { hash: 'x' })).toThrow('no HTTP binding')
})
