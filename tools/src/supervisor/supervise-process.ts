import { setTimeout as delay } from 'node:timers/promises'
import type { ProgressReporter } from '@quittance/testing/engines/engine'
import { healthyMs, restartDelayMs } from './back-off.ts'

/** One run of a process. */
export interface ProcessRun {
  pid: number
  /** True once it is ready; false if it ended before. */
  ready: Promise<boolean>
  /** Description of how it ended. */
  exited: Promise<string>
  stop(patienceMs: number): Promise<void>
  /** Its last output. */
  lastWords?: () => string
}

export interface SupervisedProcess {
  /** Process id of the current run; null between two runs. */
  pid(): number | null
  /** Rejects if the process never becomes ready. */
  firstReady: Promise<void>
  /** Ends the current run and starts the next one without a delay. Resolves when that one is ready or has ended. */
  restart(patienceMs: number): Promise<void>
  /** Stops it permanently. */
  stop(patienceMs: number): Promise<void>
}

interface SuperviseOptions {
  name: string
  start: () => Promise<ProcessRun>
  report: ProgressReporter
  /** Called when a later run is ready. */
  onRestarted: () => void
}

/** A process that has never been ready is misconfigured, not unlucky. */
const firstAttempts = 3

/** Restarts a process whenever it ends, with a growing delay while it keeps failing. */
export function superviseProcess(options: SuperviseOptions): SupervisedProcess {
  const supervision = new Supervision(options)
  const ended = supervision.run()
  return {
    pid: () => supervision.pid(),
    firstReady: supervision.firstReady,
    restart: (patienceMs) => supervision.restart(patienceMs),
    async stop(patienceMs) {
      await supervision.stop(patienceMs)
      await ended
      supervision.releaseRestart()
    },
  }
}

class Supervision {
  readonly #options: SuperviseOptions
  readonly #stopping = new AbortController()
  readonly #first = Promise.withResolvers<void>()
  #current: ProcessRun | null = null
  #wasReady = false
  /** A requested restart, until the next run has replaced the current one. */
  #restart: PromiseWithResolvers<void> | null = null
  #waiting = new AbortController()

  constructor(options: SuperviseOptions) {
    this.#options = options
    this.#first.promise.catch(() => {})
  }

  get firstReady(): Promise<void> {
    return this.#first.promise
  }

  pid(): number | null {
    return this.#current?.pid ?? null
  }

  async restart(patienceMs: number): Promise<void> {
    this.#restart ??= Promise.withResolvers()
    const { promise } = this.#restart
    this.#waiting.abort()
    await this.#current?.stop(patienceMs)
    await promise
  }

  async stop(patienceMs: number): Promise<void> {
    this.#stopping.abort()
    await this.#current?.stop(patienceMs)
  }

  releaseRestart(): void {
    this.#restart?.resolve()
  }

  /** Runs the process until it is stopped, or until it has failed three times without ever being ready. */
  async run(): Promise<void> {
    const { name } = this.#options
    for (let failures = 0; !this.#stopping.signal.aborted; failures++) {
      const { ending, livedMs } = await this.#runOnce()
      if (this.#stopping.signal.aborted) return
      if (this.#restart) {
        failures = -1
        continue
      }
      if (!this.#wasReady && failures + 1 === firstAttempts) {
        return this.#first.reject(new Error(`${name} does not start: it ${ending}`))
      }
      if (livedMs >= healthyMs) failures = 0
      await this.#delayRestart(ending, restartDelayMs(failures))
    }
  }

  async #delayRestart(ending: string, waitMs: number): Promise<void> {
    this.#options.report(`${this.#options.name} ${ending.split('\n')[0]}; starting it again in ${waitMs / 1000} s`)
    this.#waiting = new AbortController()
    const signal = AbortSignal.any([this.#stopping.signal, this.#waiting.signal])
    await delay(waitMs, undefined, { signal }).catch(() => {})
  }

  async #runOnce(): Promise<{ ending: string; livedMs: number }> {
    const { name, start, report } = this.#options
    const startedAt = Date.now()
    const requested = this.#restart
    this.#restart = null
    try {
      const run = await start()
      this.#current = run
      if (this.#stopping.signal.aborted) void run.stop(0)
      const isReady = await run.ready
      if (isReady) this.#reportReady(run)
      else if (requested && !this.#stopping.signal.aborted) report(`${name} does not start:\n${run.lastWords?.() ?? ''}`)
      requested?.resolve()
      const ending = await run.exited
      return { ending: [ending, run.lastWords?.()].filter(Boolean).join('\n'), livedMs: Date.now() - startedAt }
    } catch (error) {
      requested?.resolve()
      return { ending: `could not be started: ${(error as Error).message}`, livedMs: 0 }
    } finally {
      this.#current = null
    }
  }

  #reportReady({ pid }: ProcessRun): void {
    if (this.#wasReady) {
      this.#options.report(`${this.#options.name} is ready again (process ${pid})`)
      this.#announceRestart()
    }
    this.#wasReady = true
    this.#first.resolve()
  }

  /** A full disk or a removed folder of the ready file is no failure of the process: a second one would find its port in use. */
  #announceRestart(): void {
    try {
      this.#options.onRestarted()
    } catch (error) {
      this.#options.report(`${this.#options.name}: ${(error as Error).message}`)
    }
  }
}
