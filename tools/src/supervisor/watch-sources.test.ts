import { join } from 'node:path'
import { expect, test } from 'vitest'
import { serviceNames } from '@quittance/contracts/services'
import { findDependents } from './watch-sources.ts'

const root = join(import.meta.dirname, '../../..')

test('every service depends on its own sources and on the runtime', () => {
  const dependents = findDependents(root)
  for (const service of serviceNames) expect(dependents.get(`services/${service}`)).toEqual(new Set([service]))
  expect(dependents.get('packages/runtime')).toEqual(new Set(serviceNames))
})

test('follows dependencies of packages: the provisioner uses the contracts through the runtime', () => {
  expect(findDependents(root).get('packages/contracts')).toContain('provisioner')
})

test('packages that only tests use restart nothing', () => {
  expect(findDependents(root).has('packages/testing')).toBe(false)
})
