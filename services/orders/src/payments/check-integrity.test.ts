import { expect, test } from 'vitest'
import type { Facts } from '../providers/provider.ts'
import { findDifferences } from './check-integrity.ts'

const money = { amount: 4200n, currency: 'usd' }
const expected = { ours: 'p', theirs: 'o', account: 'acct', mode: 'test' as const, money }
const seen: Facts & { is: string } = { ...expected, received: money, is: 'succeeded' }

test('an object that is what the row requested has no differences', () => {
  expect(findDifferences(expected, seen)).toEqual([])
  expect(findDifferences({ ...expected, theirs: null }, { ...seen, is: 'processing', received: null })).toEqual([])
  expect(findDifferences({ ...expected, money: null }, { ...seen, money: null, received: null })).toEqual([])
})

test('each difference is named with both values [payments 32]', () => {
  const differences: [Partial<Facts>, string][] = [
    [{ ours: 'q' }, 'our id is q, not p'],
    [{ ours: null }, 'our id is null, not p'],
    [{ theirs: 'x' }, 'id is x, not o'],
    [{ account: 'other' }, 'account is other, not acct'],
    [{ mode: 'live' }, 'mode is live, not test'],
    [{ money: { amount: 4201n, currency: 'usd' } }, 'amount is 4201 usd, not 4200 usd'],
    [{ money: { amount: 4200n, currency: 'eur' } }, 'amount is 4200 eur, not 4200 usd'],
    [{ received: { amount: 4100n, currency: 'usd' } }, 'received is 4100 usd, not 4200 usd'],
    [{ received: null }, 'received is null, not 4200 usd'],
  ]
  for (const [change, difference] of differences) expect(findDifferences(expected, { ...seen, ...change })).toEqual([difference])
})
