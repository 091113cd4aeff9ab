import { expect, test } from 'vitest'
import { formatAdjustmentLabel, formatProrationLabel, parseAdjustmentLabel, parseProrationLabel } from './proration-label.ts'

test('a label is read as it was written, and any other is not', () => {
  for (const kind of ['unused', 'remaining'] as const)
    expect(parseProrationLabel(formatProrationLabel(kind, 'Remaining time of Pro'))).toEqual({ kind, product: 'Remaining time of Pro' })
  expect(parseProrationLabel('Pro')).toBeNull()
})

test('a label that names no product is read as it was written, and any other is not', () => {
  for (const kind of ['creditLeft', 'chargeLeft', 'credit', 'earlierChanges'] as const)
    expect(parseAdjustmentLabel(formatAdjustmentLabel(kind))).toBe(kind)
  expect(parseAdjustmentLabel('Pro')).toBeNull()
})
