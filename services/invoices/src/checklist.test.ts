import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../../..')

/** Numbers in the titles of all tests: `(checklist 3, 80–84)`. */
function tested(): Set<number> {
  const files = globSync(['services/*/{src,test}/**/*.test.ts', 'e2e/**/*.test.ts'], { cwd: root })
  const lists = files.flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(/\(checklist ([\d, –]+)\)/g)].map(([, list]) => list),
  )
  return new Set(
    lists.flatMap((list) =>
      (list as string).split(', ').flatMap((range) => {
        const [first = 0, last = first] = range.split('–').map(Number)
        return Array.from({ length: last - first + 1 }, (_, index) => first + index)
      }),
    ),
  )
}

test('every statement of the checklist has a test of its number, or a reason why not', () => {
  const page = readFileSync(join(root, 'docs/invoices-checklist.md'), 'utf8')
  const rows = [...page.matchAll(/^\| (\d+) +\| .*? \| (.*?) *\|$/gm)].map(([, number, shown]) => ({ number: Number(number), shown }))
  const numbers = tested()
  expect(rows.length).toBeGreaterThan(90)
  expect(rows.filter(({ shown, number }) => (shown === 'test') !== numbers.has(number))).toEqual([])
  expect([...numbers].filter((number) => !rows.some((row) => row.number === number))).toEqual([])
})
