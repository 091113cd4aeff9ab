import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../../..')

/** Tests whose numbers refer to the list of OAuth behaviour, not to the invoices checklist. */
const otherLists = ['e2e/oauth/**', 'e2e/own-system/jwt-access-token.e2e.test.ts', 'e2e/invitations.e2e.test.ts']

/** Numbers at the end of test titles: ` [3, 80–84]` or ` (checklist 3, 80–84)`. */
function tested(): Set<number> {
  const folders = ['services/{gateway,invoices,orders}/{src,test}/**/*.test.ts', 'e2e/**/*.test.ts']
  const files = globSync(folders, { cwd: root, exclude: otherLists })
  const lists = files.flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(/ (?:\(checklist |\[)([\d, –]+)[)\]]['`]/g)].map(([, list]) => list),
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

test('covers every checklist statement by a numbered test, unless the page gives a reason', () => {
  const page = readFileSync(join(root, 'docs/invoices-checklist.md'), 'utf8')
  const rows = [...page.matchAll(/^\| (\d+) +\| .*? \| (.*?) *\|$/gm)].map(([, number, shown]) => ({ number: Number(number), shown }))
  const numbers = tested()
  expect(rows.length).toBeGreaterThan(90)
  expect(rows.filter(({ shown, number }) => (shown === 'test') !== numbers.has(number))).toEqual([])
  expect([...numbers].filter((number) => !rows.some((row) => row.number === number))).toEqual([])
})
