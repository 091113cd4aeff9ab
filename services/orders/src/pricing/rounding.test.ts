import fc from 'fast-check'
import { expect, test } from 'vitest'
import { adjustTo, allocate, divideRounded } from './rounding.ts'

const signed = fc.bigInt({ min: -(10n ** 12n), max: 10n ** 12n })
const magnitude = (amount: bigint) => (amount < 0n ? -amount : amount)

test('parts add up to the whole; none is a minor unit or more off its exact share', () => {
  fc.assert(
    fc.property(signed, fc.array(signed, { minLength: 1, maxLength: 30 }), (whole, weights) => {
      const sum = weights.reduce((total, weight) => total + weight, 0n)
      const parts = allocate(whole, weights)
      expect(parts.reduce((total, part) => total + part, 0n)).toBe(whole)
      if (sum === 0n) return
      for (const [position, part] of parts.entries()) {
        expect(magnitude(part * sum - whole * (weights[position] as bigint)) < magnitude(sum)).toBe(true)
      }
    }),
    { numRuns: 10_000 },
  )
})

test.each([
  ['equal parts: the first takes the odd unit', 100n, [1n, 1n, 1n], [34n, 33n, 33n]],
  ['the largest remainder comes first', 10n, [150n, 250n, 600n], [2n, 2n, 6n]],
  ['a zero weight gets nothing', 7n, [0n, 3n, 0n], [0n, 7n, 0n]],
  ['a credit takes its share of the other sign', 20n, [300n, -100n], [30n, -10n]],
  ['all weights zero: the first takes it', 5n, [0n, 0n], [5n, 0n]],
])('%s', (...[, whole, weights, expected]) => {
  expect(allocate(whole, weights)).toEqual(expected)
})

test('rounds half a minor unit away from zero, up and down alike [52]', () => {
  expect([divideRounded(5n, 2n), divideRounded(-5n, 2n), divideRounded(4n, 3n), divideRounded(-4n, 3n)]).toEqual([3n, -3n, 1n, -1n])
})

test.each([
  ['nothing is missing', 6n, [1n, 2n, 3n], [1n, 2n, 3n]],
  ['the largest part takes a missing unit', 7n, [1n, 2n, 3n], [1n, 2n, 4n]],
  ['the largest credit does too', 0n, [-5n, 1n, 3n], [-4n, 1n, 3n]],
  ['the largest part gives up a unit', 5n, [3n, 2n, 1n], [2n, 2n, 1n]],
  ['of equal parts the first', 5n, [2n, 2n], [3n, 2n]],
  ['more units than parts are spread', 11n, [1n, 2n, 3n], [2n, 4n, 5n]],
])('parts are adjusted to a whole: %s', (...[, whole, parts, expected]) => {
  expect(adjustTo(whole, parts)).toEqual(expected)
})
