import ormPackage from '@mikro-orm/core/package.json' with { type: 'json' }
import { expect, test } from 'vitest'

// The transactions of the runtime use how this version opens and joins them; the service tests of the runtime prove it.
test('the version of MikroORM is the one whose transactions were verified', () => {
  expect(ormPackage.version).toBe('7.2.1')
})
