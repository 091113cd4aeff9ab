import { createHeldCounts } from './held-counts.ts'

/**
 * A fixed number of slots shared by keys such as organizations. A key may hold most of them but never the last ones, so that others start at
 * once while one key holds all that it may. No slot is assigned to a key in advance.
 */
export interface FairSlots {
  /** Takes a slot if the key may have one now; the caller releases it. */
  tryAcquire(key: string): boolean
  /** Waits for a slot: in order within the key, in turn among keys. */
  acquire(key: string): Promise<void>
  release(key: string): void
  /** Runs `work` in a slot of the key. Not for nested calls: all slots could be held by callers that wait for a second one. */
  run<T>(key: string, work: () => Promise<T>): Promise<T>
}

/**
 * A key may hold this many slots for each slot that stays free (dynamic thresholds: Choudhury and Hahne, "Dynamic Queue Length Thresholds for
 * Shared-Memory Packet Switches", 1998). With 4, one key holds at most four fifths.
 */
const slotsPerFreeSlot = 4

export function createFairSlots(capacity: number): FairSlots {
  const held = createHeldCounts()
  /** Keys with waiting callers, the next one first. */
  const waiting = new Map<string, (() => void)[]>()
  let free = capacity

  function mayTake(key: string): boolean {
    const count = held.count(key)
    return count === 0 ? free > 0 : count + 1 <= slotsPerFreeSlot * (free - 1)
  }
  function take(key: string): void {
    held.add(key, 1)
    free -= 1
  }
  function tryAcquire(key: string): boolean {
    if (waiting.has(key) || !mayTake(key)) return false
    take(key)
    return true
  }
  function grantWaiting(): void {
    for (const [key, callers] of waiting) {
      if (free === 0) return
      if (!mayTake(key)) continue
      take(key)
      // The key moves behind the others.
      waiting.delete(key)
      callers.shift()?.()
      if (callers.length > 0) waiting.set(key, callers)
    }
  }
  function acquire(key: string): Promise<void> {
    if (tryAcquire(key)) return Promise.resolve()
    return new Promise((resolve) => {
      const callers = waiting.get(key)
      if (callers) callers.push(resolve)
      else waiting.set(key, [resolve])
    })
  }
  function release(key: string): void {
    held.add(key, -1)
    free += 1
    if (waiting.size > 0) grantWaiting()
  }
  async function run<T>(key: string, work: () => Promise<T>): Promise<T> {
    await acquire(key)
    try {
      return await work()
    } finally {
      release(key)
    }
  }
  return { tryAcquire, acquire, release, run }
}
