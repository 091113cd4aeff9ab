import ormPackage from '@mikro-orm/core/package.json' with { type: 'json' }
import { expect, test } from 'vitest'

test('MikroORM takes our transactions: re-verify transact after the upgrade of MikroORM', () => {
  expect(ormPackage.version).toBe('7.2.1')
})
