/** How much each key holds of something limited, such as the slots or connections of an organization, or bytes of a client network. Keys that hold nothing take no memory. */
export interface HeldCounts {
  count(key: string): number
  add(key: string, by: number): void
  /** Keys that hold at least this many. */
  keys(atLeast: number): string[]
}

export function createHeldCounts(): HeldCounts {
  const counts = new Map<string, number>()
  return {
    count: (key) => counts.get(key) ?? 0,
    add(key, by) {
      const count = (counts.get(key) ?? 0) + by
      if (count > 0) counts.set(key, count)
      else counts.delete(key)
    },
    keys: (atLeast) => [...counts].filter(([, count]) => count >= atLeast).map(([key]) => key),
  }
}
