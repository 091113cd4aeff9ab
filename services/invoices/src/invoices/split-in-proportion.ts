import { sum } from '../electronic/lines-by-rate.ts'

/**
 * Splits an amount in proportion to the weights: each part is rounded with what is left, so the parts add up exactly and none exceeds its
 * weight if the amount is at most their sum. Negative weights get nothing; without weights, the first part is the whole.
 */
export function splitInProportion(amount: number, weights: readonly number[]): number[] {
  let [left, weightLeft] = [BigInt(amount), BigInt(sum(weights.map(positive)))]
  if (weightLeft === 0n) return weights.map((_, index) => (index === 0 ? amount : 0))
  return weights.map((each) => {
    const weight = BigInt(positive(each))
    const part = weightLeft === 0n ? 0n : (2n * left * weight + weightLeft) / (2n * weightLeft)
    left -= part
    weightLeft -= weight
    return Number(part)
  })
}

/** Returns the amount, or zero instead of a negative one. */
export function positive(amount: number): number {
  return amount > 0 ? amount : 0
}
