import { expect, test } from 'vitest'
import { formatProrationLabel, parseProrationLabel } from './proration-label.ts'

test('a label is read as it was written, and any other is not', () => {
  for (const kind of ['unused', 'remaining'] as const)
    expect(parseProrationLabel(formatProrationLabel(kind, 'Remaining time of Pro'))).toEqual({ kind, product: 'Remaining time of Pro' })
  expect(parseProrationLabel('Pro')).toBeNull()
})
