import { scopes } from '@quittance/contracts/scopes'
import { expect, test } from 'vitest'
import { permissionGroups } from './permission-groups.ts'

test('lists permissions that move money first, marked, and read-only ones last', () => {
  const groups = permissionGroups(['openid', 'email', 'orders:read', 'products:read', 'products:write', 'refunds:read', 'refunds:write'])
  expect(groups.map(({ title }) => title)).toEqual(['Refunds', 'Products', 'Orders', 'You'])
  expect(groups[0]).toMatchObject({
    movesMoney: true,
    permissions: [{ sentence: 'Refund orders', movesMoney: true }, { movesMoney: false }],
  })
  expect(groups.map(({ isReadOnly }) => isReadOnly)).toEqual([false, false, true, true])
})

test('every scope is in exactly one group', () => {
  const shown = permissionGroups(scopes).flatMap(({ permissions }) => permissions)
  expect(new Set(shown.map(({ sentence }) => sentence)).size).toBe(scopes.length)
  expect(shown).toHaveLength(scopes.length)
})
