import { expect, test } from 'vitest'
import { describeReconciliation } from './payments-reconcile.ts'

const since = '2026-11-01T00:00:00.000Z'
const objects = { compared: 2, others: 1, in_progress: 0, compared_since: since }
const equal = { account_id: 'a', payments: objects, refunds: { ...objects, compared: 0, others: 0 }, differences: [], total_count: 0 }

test('prints a line with both values for each difference, and a summary', () => {
  const difference = { object: 'payment', id: 'p', provider_id: 'pi_1', what: 'amount', at_provider: '4201 usd', here: '4200 usd' } as const
  const missing = {
    object: 'refund',
    id: null,
    provider_id: 're_1',
    what: 'missing here',
    at_provider: 'succeeded 100 usd',
    here: null,
  } as const
  expect(describeReconciliation({ ...equal, differences: [difference, missing], total_count: 3 }, since)).toEqual({
    isEqual: false,
    lines: [
      'payment p (pi_1) amount: provider 4201 usd, here 4200 usd',
      'refund - (re_1) missing here: provider succeeded 100 usd, here nothing',
      '… and 1 more.',
      'payments: 2 compared, 0 in progress, 1 of other software',
      'refunds: 0 compared, 0 in progress, 0 of other software',
      '3 differences.',
    ],
  })
})

test('a comparison without differences is equal only if it was complete', () => {
  expect(describeReconciliation(equal, since)).toMatchObject({ isEqual: true })
  const partial = { ...equal, payments: { ...objects, compared_since: '2026-11-02T00:00:00.000Z' } }
  const { lines, isEqual } = describeReconciliation(partial, since)
  expect(isEqual).toBe(false)
  // Whatever ended it: the limit, the time, or the number of reads.
  expect(lines[0]).toContain('only since 2026-11-02T00:00:00.000Z, compare the rest with --until 2026-11-02T00:00:00.000Z')
})
