import { expect, test } from 'vitest'
import { findHandlerImports, readModule } from './find-handler-imports.ts'
import { measureSizes } from './measure-sizes.ts'

const place = readModule(
  'services/a/src/x/place.ts',
  `import { command } from '@q/runtime'\nexport const place = command(c, run)\nexport function share() {}`,
)

test('reads handlers and relative imports', () => {
  expect(place).toEqual({ path: 'services/a/src/x/place.ts', handlers: ['place'], imports: [] })
})

test('finds a handler that another file than service.ts or a test imports', () => {
  const service = readModule('services/a/src/service.ts', `import { place } from './x/place.ts'`)
  const sharing = readModule('services/a/src/y/other.ts', `import { share } from '../x/place.ts'`)
  const wrong = readModule('services/a/src/y/wrong.ts', `import { place, share } from '../x/place.ts'`)
  expect(findHandlerImports([place, service, sharing])).toEqual([])
  expect(findHandlerImports([place, wrong])).toEqual(['services/a/src/y/wrong.ts imports the handler place of services/a/src/x/place.ts'])
})

test('measures sizes, small files and files with one importer', () => {
  const file = (path: string, lines: number, imports: string[] = []) => ({ path, lines, imports })
  expect(measureSizes([file('a', 10), file('b', 40, ['a']), file('c', 100, ['b', 'a'])])).toEqual({
    files: 3,
    median: 40,
    p90: 100,
    largest: 100,
    tiny: 1,
    singleImporter: 1,
  })
})
