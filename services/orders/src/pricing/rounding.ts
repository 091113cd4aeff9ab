/** The only rounding rule: half away from zero, for positive and negative amounts alike. `divisor` is positive. */
export function divideRounded(dividend: bigint, divisor: bigint): bigint {
  const doubled = 2n * (dividend < 0n ? -dividend : dividend) + divisor
  const magnitude = doubled / (2n * divisor)
  return dividend < 0n ? -magnitude : magnitude
}

/**
 * Splits a whole in proportion to the weights, by largest remainder: the parts add up exactly, and none is a minor unit or more away from
 * its exact share. A zero weight gets nothing, unless all weights are zero: then the first part is the whole.
 */
export function allocate(whole: bigint, weights: readonly bigint[]): bigint[] {
  const sum = weights.reduce((total, weight) => total + weight, 0n)
  if (sum === 0n) return weights.map((_, position) => (position === 0 ? whole : 0n))
  const shares = weights.map((weight) => divideDown(whole * weight, sum))
  const remainders = weights.map((weight, position) => {
    const rest = whole * weight - (shares[position] as bigint) * sum
    return rest < 0n ? -rest : rest
  })
  const left = Number(whole - shares.reduce((total, share) => total + share, 0n))
  const byRemainder = weights.map((_, position) => position)
  // The sort is stable, so of equal remainders the earlier line goes first.
  byRemainder.sort((a, b) => Number((remainders[b] as bigint) - (remainders[a] as bigint)))
  const lucky = new Set(byRemainder.slice(0, left))
  return shares.map((share, position) => (lucky.has(position) ? share + 1n : share))
}

/** Changes the largest parts by one minor unit each, as often as needed, so that the parts add up to the whole. */
export function adjustTo(whole: bigint, parts: readonly bigint[]): bigint[] {
  const left = whole - parts.reduce((total, part) => total + part, 0n)
  const magnitude = (part: bigint) => (part < 0n ? -part : part)
  const bySize = parts.map((_, position) => position)
  bySize.sort((a, b) => Number(magnitude(parts[b] as bigint) - magnitude(parts[a] as bigint)))
  const [count, step] = [BigInt(parts.length), left < 0n ? -1n : 1n]
  const adjusted = [...parts]
  for (const [rank, position] of bySize.entries()) {
    const times = magnitude(left) / count + (BigInt(rank) < magnitude(left) % count ? 1n : 0n)
    adjusted[position] = (parts[position] as bigint) + step * times
  }
  return adjusted
}

/** Rounds towards minus infinity; bigint division rounds towards zero. */
function divideDown(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor
  const isExact = quotient * divisor === dividend
  return isExact || dividend < 0n === divisor < 0n ? quotient : quotient - 1n
}
