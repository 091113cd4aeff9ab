/** Returns the value of rank ⌊share · n⌋. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const [below = Number.NaN, above = Number.NaN] = sorted.slice(sorted.length % 2 ? middle : middle - 1)
  return sorted.length % 2 ? below : (below + above) / 2
}

export interface Ratio {
  median: number
  least: number
  most: number
}

/**
 * Computes the median quotient of windows of the same round. They are adjacent in time, so their quotient excludes most of the other load
 * on the machine.
 */
export function ratio(own: readonly number[], peer: readonly number[]): Ratio {
  const quotients = own.map((value, round) => value / (peer[round] ?? Number.NaN))
  return { median: median(quotients), least: Math.min(...quotients), most: Math.max(...quotients) }
}

/** Formats a ratio as a sentence, with its assessment if there is a limit. */
export function ratioLine(what: string, { median: middle, least, most }: Ratio, limit?: number): string {
  const word = limit === undefined ? '' : ` At most ${limit.toFixed(2)} is required: ${middle <= limit ? 'met' : 'NOT MET'}.`
  return `${what} = ${middle.toFixed(2)} (rounds: ${least.toFixed(2)} … ${most.toFixed(2)}).${word}`
}
