import { setTimeout as pause } from 'node:timers/promises'
import type { Database } from '../database/database.ts'
import { isDatabaseUnavailable } from '../database/unavailable.ts'
import { createSystemSql } from '@quittance/sql/sql-runner'
import type { Execute } from '@quittance/sql/view'
import type { Leadership } from '../jobs/leader-election.ts'
import { createWakeSignal } from '../jobs/wake-signal.ts'
import type { Logger } from '../process/logger.ts'
import { gauge } from '../process/metrics.ts'
import { fromStored, type IncomingMessage, type StoredMessage } from './incoming-event.ts'
import { createParkedMessageStore, type ParkedRow } from './parked-message-store.ts'
import { decideRetry, type RetryDecision } from './retry-schedule.ts'

/** Delay before a key is read again whose messages are being written. */
const writingRetryMs = 50
const unavailableRetryMs = 1_000
const idleWaitMs = 60_000

interface ParkingOptions {
  /** Name of the consumer. */
  durable: string
  maxBatchSize: number
  database: Pick<Database, 'execute'>
  log: Logger
  /** Handles messages in one transaction; repeated ones have no effect. */
  handle(messages: readonly IncomingMessage[]): Promise<void>
}

/** A first attempt that failed. */
interface FailedAttempt {
  error: unknown
  decision: RetryDecision
}

interface ParkedKey {
  count: number
  /** Rows that are being written: the key is not empty although the table is. */
  inserting: number
  /** Rows whose writing has begun. A read that began before the last of them was written may miss it. */
  begun: number
  /** Time of the next attempt of its first message, as `performance.now()`. */
  dueAt: number
  /** Whether its messages are attempted one by one, because a batch of them failed. */
  isSingle: boolean
}

/**
 * Messages of one consumer that failed, and later ones of the same ordering key, until they are handled or dead-lettered. Only the leader of a
 * consumer parks and retries, so the counts in memory are exact.
 */
export class ParkedMessages {
  private readonly options: ParkingOptions
  private readonly store: ReturnType<typeof createParkedMessageStore>
  private readonly keys = new Map<string, ParkedKey>()
  private readonly wakeSignal = createWakeSignal()
  private isStopped = false

  private constructor(options: ParkingOptions) {
    this.options = options
    this.store = createStore(options, options.database.execute)
  }

  /** Reads what an earlier leader parked, on the connection of the leadership, because all consumers of a starting service do. */
  static async open(options: ParkingOptions, { execute }: Pick<Leadership, 'execute'>): Promise<ParkedMessages> {
    const parked = new ParkedMessages(options)
    for (const { key, count, due } of await createStore(options, execute).summarize()) {
      parked.keys.set(key, { count, inserting: 0, begun: 0, dueAt: performance.now() + due, isSingle: false })
    }
    countByConsumer.set(options.durable, () => [...parked.keys.values()].reduce((sum, { count }) => sum + count, 0))
    return parked
  }

  /** Whether earlier messages of the key are parked, so that a later one must wait behind them. */
  has(key: string): boolean {
    return this.keys.has(key)
  }

  /** Stores a message behind the others of its key. With `failed` it was attempted once. */
  async park(message: StoredMessage, { id, key, failed }: { id: string; key: string; failed?: FailedAttempt }): Promise<void> {
    const { delay, counted } = failed?.decision ?? { delay: 0, counted: 0 }
    const parked = this.keys.get(key) ?? { count: 0, inserting: 0, begun: 0, dueAt: performance.now() + delay, isSingle: false }
    parked.inserting += 1
    parked.begun += 1
    this.keys.set(key, parked)
    const reason = failed ? String(failed.error) : null
    try {
      if (await this.store.insert({ id, key, message, attempts: counted, delay, reason })) parked.count += 1
    } finally {
      parked.inserting -= 1
      this.wakeSignal.wake()
    }
  }

  /** Retries parked messages until `stop`, while this replica leads: in order within a key, independent of other keys. */
  async retryWhileLeader(leadership: Leadership): Promise<void> {
    while (!this.isStopped && leadership.isLeader()) {
      const next = this.findNext()
      const waitMs = next ? next[1].dueAt - performance.now() : idleWaitMs
      if (!next || waitMs > 0) await this.wakeSignal.wait(waitMs)
      else await this.retryKey(...next).catch((error: unknown) => this.waitForDatabase(error))
    }
  }

  stop(): void {
    this.isStopped = true
    // From now on another replica may count them.
    countByConsumer.set(this.options.durable, () => 0)
    this.wakeSignal.wake()
  }

  private findNext(): [string, ParkedKey] | undefined {
    let next: [string, ParkedKey] | undefined
    for (const entry of this.keys) if (!next || entry[1].dueAt < next[1].dueAt) next = entry
    return next
  }

  private async retryKey(key: string, parked: ParkedKey): Promise<void> {
    const { begun, inserting } = parked
    const rows = await this.store.readFirst(key, parked.isSingle ? 1 : this.options.maxBatchSize)
    if (rows.length === 0) {
      if (inserting > 0 || parked.begun > begun) parked.dueAt = performance.now() + writingRetryMs
      else this.keys.delete(key)
      return
    }
    try {
      await this.options.handle(rows.map(fromStored))
      await this.store.remove(rows.map(({ position }) => position))
      parked.isSingle = false
      this.remove(key, rows.length)
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error
      if (rows.length > 1) parked.isSingle = true
      else await this.recordFailure(rows[0] as ParkedRow, { key, parked, error })
    }
  }

  private async recordFailure({ position, subject, attempts }: ParkedRow, failed: { key: string; parked: ParkedKey; error: unknown }) {
    const { key, parked, error } = failed
    const decision = decideRetry(error, attempts)
    const fields = { err: error, consumer: this.options.durable, subject, ordering_key: key, attempt: attempts + 1 }
    if (!decision) {
      this.options.log.error(fields, 'consumer.dead-letter')
      await this.store.moveToDeadLetters(position, String(error))
      return this.remove(key, 1)
    }
    this.options.log.warn(fields, 'consumer.failed')
    await this.store.postpone(position, { ...decision, reason: String(error) })
    parked.dueAt = performance.now() + decision.delay
  }

  private remove(key: string, count: number): void {
    const parked = this.keys.get(key)
    if (!parked) return
    parked.count -= count
    parked.dueAt = performance.now()
    if (parked.count <= 0 && parked.inserting === 0) this.keys.delete(key)
  }

  private async waitForDatabase(error: unknown): Promise<void> {
    this.options.log.warn({ err: error, consumer: this.options.durable }, 'consumer.database-unavailable')
    await pause(unavailableRetryMs)
  }
}

function createStore({ durable }: ParkingOptions, execute: Execute) {
  return createParkedMessageStore(createSystemSql({ execute }, 'messages of all organizations are parked'), durable)
}

const countByConsumer = new Map<string, () => number>()
gauge('consumer_parked_messages', 'Messages that failed, and later ones of the same organization that wait behind them.', {
  labels: ['consumer'],
  collect(gauge) {
    for (const [consumer, count] of countByConsumer) gauge.set({ consumer }, count())
  },
})
