import { expect, test } from 'vitest'
import { discountReaches } from './discount-reach.ts'
import { periodEnd } from './subscription-period.ts'

const from = new Date('2026-01-31T12:00:00Z')

function reached(term: { duration: 'once' | 'forever' | 'repeating'; durationInMonths?: number }, interval: 'month' | 'year' = 'month') {
  let start = from
  return Array.from({ length: 6 }, () => {
    const covered = discountReaches(start, { ...term, from })
    start = periodEnd(start, { interval, anchorDay: 31 })
    return covered
  })
}

test('once is one order, forever is every order', () => {
  expect(reached({ duration: 'once' })).toEqual([true, false, false, false, false, false])
  expect(reached({ duration: 'forever' })).toEqual([true, true, true, true, true, true])
})

test('three months are three monthly orders, also over a short February', () => {
  expect(reached({ duration: 'repeating', durationInMonths: 3 })).toEqual([true, true, true, false, false, false])
})

test('of yearly orders, thirteen months reach the second', () => {
  expect(reached({ duration: 'repeating', durationInMonths: 12 }, 'year').slice(0, 3)).toEqual([true, false, false])
  expect(reached({ duration: 'repeating', durationInMonths: 13 }, 'year').slice(0, 3)).toEqual([true, true, false])
})
