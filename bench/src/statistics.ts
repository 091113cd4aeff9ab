/** The value of rank ⌊share · n⌋. */
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

/** Windows of one round lie next to each other in time: their quotient is free of most of what else the machine did. */
export function ratio(own: readonly number[], peer: readonly number[]): Ratio {
  const quotients = own.map((value, round) => value / (peer[round] ?? Number.NaN))
  return { median: median(quotients), least: Math.min(...quotients), most: Math.max(...quotients) }
}

/** A ratio in a sentence; with its verdict where there is a limit. */
export function ratioLine(what: string, { median: middle, least, most }: Ratio, limit?: number): string {
  const word = limit === undefined ? '' : ` At most ${limit.toFixed(2)} is wanted: ${middle <= limit ? 'kept' : 'NOT KEPT'}.`
  return `${what} = ${middle.toFixed(2)} (rounds: ${least.toFixed(2)} … ${most.toFixed(2)}).${word}`
}
