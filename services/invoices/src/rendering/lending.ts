/** A fixed number of things lent one borrower each; who comes later waits in line. */
export interface Lending<T> {
  /** Refused with `NotLent` once stopped; then the work was not begun. */
  lend<R>(work: (thing: T) => Promise<R>): Promise<R>
  /** Refuses who waits and who comes, until `start`; resolves when everything is back. */
  stop(): Promise<void>
  start(): void
}

export class NotLent extends Error {}

export function createLending<T>(things: readonly T[]): Lending<T> {
  const free = [...things]
  const waiting: { resolve(thing: T): void; reject(error: Error): void }[] = []
  let stopped = false
  let allBack = () => {}

  function take(): Promise<T> {
    if (stopped) return Promise.reject(new NotLent('Closed'))
    const thing = free.pop()
    return thing === undefined ? new Promise((resolve, reject) => waiting.push({ resolve, reject })) : Promise.resolve(thing)
  }

  function giveBack(thing: T): void {
    const next = waiting.shift()
    if (next) return next.resolve(thing)
    free.push(thing)
    if (free.length === things.length) allBack()
  }

  return {
    async lend(work) {
      const thing = await take()
      return await work(thing).finally(() => giveBack(thing))
    },
    async stop() {
      stopped = true
      for (const { reject } of waiting.splice(0)) reject(new NotLent('Closed'))
      if (free.length < things.length) await new Promise<void>((resolve) => (allBack = resolve))
    },
    start: () => void (stopped = false),
  }
}
