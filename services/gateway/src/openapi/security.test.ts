import type { HttpBinding } from '@quittance/contracts/operation'
import { expect, test } from 'vitest'
import { securityOf } from './security.ts'

const http = (callers: HttpBinding['callers'], scopes: HttpBinding['scopes'] = []): HttpBinding => ({
  method: 'GET',
  path: '/v1/x',
  status: 200,
  scopes,
  callers,
})

test('every scope that would do is an alternative of its own', () => {
  expect(securityOf(http(['organization', 'user'], ['orders:read', 'orders:write']))).toEqual([
    { bearer: ['orders:read', 'orders:write'] },
    { oauth2: ['orders:read'] },
    { oauth2: ['orders:write'] },
  ])
})

test('a credential that may be left out has an empty alternative', () => {
  expect(securityOf(http(['user', 'anonymous']))).toEqual([{}, { bearer: [] }, { oauth2: [] }])
})

test('an operation for nobody in particular asks for no credential', () => {
  expect(securityOf(http(['anonymous']))).toEqual([])
})

test('what only a customer may call is not offered to OAuth clients', () => {
  expect(securityOf(http(['customer'], ['customer_portal:read']))).toEqual([{ bearer: ['customer_portal:read'] }])
})
