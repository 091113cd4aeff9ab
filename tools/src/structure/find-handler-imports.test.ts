import { expect, test } from 'vitest'
import { findHandlerImports, readModule } from './find-handler-imports.ts'
import { checkSizes, measureSizes } from './measure-sizes.ts'

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

const file = (path: string, lines: number, imports: string[] = []) => ({ path, lines, imports })

test('measures sizes, small files and files with one importer', () => {
  expect(measureSizes([file('a', 10), file('b', 40, ['a']), file('c', 100, ['b', 'a'])])).toEqual({
    files: 3,
    median: 40,
    p90: 100,
    largest: 100,
    tiny: 1,
    singleImporter: 1,
  })
})

test('a size beyond its limit is reported with what to do, and with the files that are new', () => {
  const files = [file('a', 10), file('b', 40, ['a']), file('c', 300, ['b'])]
  const limits = { p90: 300, largest: 300, tinyPercent: 34, singleImporterPercent: 67 }
  expect(checkSizes(files, { limits, added: new Set(['a']) })).toEqual([])
  const remedy = 'Put the content of a small file where it is used (CONTRIBUTING.md, code layout).'
  expect(
    checkSizes(files, { limits: { p90: 250, largest: 250, tinyPercent: 33, singleImporterPercent: 66 }, added: new Set(['a', 'c']) }),
  ).toEqual([
    'c has 300 lines; at most 250 are allowed.',
    'One of ten files has more than 300 lines; at most 250 are allowed. Divide a large file.',
    `1 of 3 files have at most 15 lines; at most 33 % may. ${remedy} New: a.`,
    `2 of 3 files have at most 45 lines and one importer; at most 66 % may. ${remedy} New: a.`,
  ])
})
