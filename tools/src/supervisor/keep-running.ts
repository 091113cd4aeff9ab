import { setTimeout as delay } from 'node:timers/promises'
import type { Say } from '@quittance/testing/engines/engine'
import { healthyMs, restartDelayMs } from './back-off.ts'

/** One life of a process. */
export interface Life {
  pid: number
  /** True once it answers; false when it ended before. */
  ready: Promise<boolean>
  /** How it ended, in words. */
  exited: Promise<string>
  stop(patienceMs: number): Promise<void>
  /** What it said about its end. */
  lastWords?: () => string
}

export interface Kept {
  /** Process id of the present life; null between two. */
  pid(): number | null
  /** Rejects when the process does not come up at all. */
  firstReady: Promise<void>
  /** Ends it for good. */
  stop(patienceMs: number): Promise<void>
}

interface KeepOptions {
  name: string
  start: () => Promise<Life>
  say: Say
  /** Called when a later life is ready. */
  onRestarted: () => void
}

/** A process that has never been ready is wrong, not unlucky. */
const firstAttempts = 3

/** Starts a process again whenever it ends, later and later while it keeps failing. */
export function keepRunning({ name, start, say, onRestarted }: KeepOptions): Kept {
  const stopping = new AbortController()
  const first = Promise.withResolvers<void>()
  first.promise.catch(() => {})
  let life: Life | null = null
  let wasReady = false

  async function liveOnce(): Promise<{ ending: string; livedMs: number }> {
    const startedAt = Date.now()
    try {
      life = await start()
      if (stopping.signal.aborted) void life.stop(0)
      if (await life.ready) announce(life)
      const ending = await life.exited
      return { ending: [ending, life.lastWords?.()].filter(Boolean).join('\n'), livedMs: Date.now() - startedAt }
    } catch (error) {
      return { ending: `could not be started: ${(error as Error).message}`, livedMs: 0 }
    } finally {
      life = null
    }
  }

  function announce({ pid }: Life): void {
    if (wasReady) {
      say(`${name} is ready again (process ${pid})`)
      onRestarted()
    }
    wasReady = true
    first.resolve()
  }

  async function live(): Promise<void> {
    for (let failures = 0; !stopping.signal.aborted; failures++) {
      const { ending, livedMs } = await liveOnce()
      if (stopping.signal.aborted) return
      if (!wasReady && failures + 1 === firstAttempts) return first.reject(new Error(`${name} does not start: it ${ending}`))
      if (livedMs >= healthyMs) failures = 0
      const waitMs = restartDelayMs(failures)
      say(`${name} ${ending.split('\n')[0]}; starting it again in ${waitMs / 1000} s`)
      await delay(waitMs, undefined, { signal: stopping.signal }).catch(() => {})
    }
  }

  const ended = live()
  return {
    pid: () => life?.pid ?? null,
    firstReady: first.promise,
    async stop(patienceMs) {
      stopping.abort()
      await life?.stop(patienceMs)
      await ended
    },
  }
}
