/** Numbers requests, so that a reply that arrives after the one of a later request is dropped. */
export function createReplyOrder(): { begin(): number; isLatest(number: number): boolean } {
  let last = 0
  return {
    begin: () => (last += 1),
    isLatest: (number) => number === last,
  }
}

/** Runs the last of several calls that follow each other closely, once they have paused. */
export function createPause(
  run: () => void,
  { afterMs, timers }: { afterMs: number; timers: Pick<typeof globalThis, 'setTimeout' | 'clearTimeout'> },
) {
  let timer: ReturnType<typeof setTimeout> | undefined
  return () => {
    timers.clearTimeout(timer)
    timer = timers.setTimeout(run, afterMs)
  }
}
