import type { HttpBinding } from '@quittance/contracts/operation'
import { expect, test } from 'vitest'
import { securityRequirements } from './security.ts'

const http = (callers: HttpBinding['callers'], scopes: HttpBinding['scopes'] = []): HttpBinding => ({
  method: 'GET',
  path: '/v1/x',
  status: 200,
  scopes,
  callers,
})

test('lists every sufficient scope as a separate alternative', () => {
  expect(securityRequirements(http(['organization', 'user'], ['orders:read', 'orders:write']))).toEqual([
    { bearer: ['orders:read', 'orders:write'] },
    { oauth2: ['orders:read'] },
    { oauth2: ['orders:write'] },
  ])
})

test('adds an empty alternative for an optional credential', () => {
  expect(securityRequirements(http(['user', 'anonymous']))).toEqual([{}, { bearer: [] }, { oauth2: [] }])
})

test('requires no credential for an anonymous operation', () => {
  expect(securityRequirements(http(['anonymous']))).toEqual([])
})

test('does not offer customer operations to OAuth clients', () => {
  expect(securityRequirements(http(['customer'], ['customer_portal:read']))).toEqual([{ bearer: ['customer_portal:read'] }])
})

test('does not offer scopes that only personal access tokens have to OAuth clients', () => {
  expect(securityRequirements(http(['user'], ['user:write']))).toEqual([{ bearer: ['user:write'] }])
  expect(securityRequirements(http(['user'], ['user:read', 'user:write']))).toEqual([
    { bearer: ['user:read', 'user:write'] },
    { oauth2: ['user:read'] },
  ])
})
