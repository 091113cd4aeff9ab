import { expect, test } from 'vitest'
import { replaceResult } from './results-page.ts'

const page =
  '# Results\n\nText.\n\n## a\n\n- date: 2026-11-01 10:00 UTC\n- commit: 1\n\na: old\n\n## b\n\n- date: 2026-11-02 10:00 UTC\n\nb: kept\n'

test('replaces the previous run of a scenario and returns it for the history', () => {
  const { page: updated, replaced } = replaceResult(page, { facts: '- date: 2026-12-01 10:00 UTC', text: 'a: new\n' })
  expect(updated).toBe(
    '# Results\n\nText.\n\n## a\n\n- date: 2026-12-01 10:00 UTC\n\na: new\n\n## b\n\n- date: 2026-11-02 10:00 UTC\n\nb: kept\n',
  )
  expect(replaced).toEqual({ date: '2026-11-01 10:00 UTC', section: '## 2026-11-01 10:00 UTC\n\n- commit: 1\n\na: old\n\n' })
})

test('appends a scenario that has no run yet', () => {
  const { page: updated, replaced } = replaceResult(page, { facts: '- date: x', text: 'c: first\n' })
  expect(updated.endsWith('## c\n\n- date: x\n\nc: first\n')).toBe(true)
  expect(replaced).toBeNull()
})
