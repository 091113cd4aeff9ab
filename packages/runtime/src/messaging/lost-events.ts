import { eventStream } from '@quittance/contracts/streams'
import type { JetStreamManager, NatsConnection } from 'nats'
import type { Leadership } from '../jobs/leader-election.ts'
import { countInterruptions, isDisconnected } from '../nats/nats-connection.ts'
import type { Logger } from '../process/logger.ts'
import { counter } from '../process/metrics.ts'
import { statement } from '@quittance/sql/statement'
import { findMissingEvents, type PublishedEvent } from './verify-events.ts'

interface LostEventsOptions {
  connection: NatsConnection
  manager: JetStreamManager
  leadership: Leadership
  log: Logger
}

interface MarkedEvent extends PublishedEvent {
  position: string
}

/** Intervals of the comparison with the stream while the connection holds: after events were published, and otherwise. */
const checkEveryMs = { active: 2_000, idle: 10_000 }
/** Time for which publishing waits after a reconnect for a provisioner that does not reply. */
const awaitProvisionerMs = 10_000
/** Number of remembered events per relay. */
const maxAnchors = 8
/** Events compared at a start: more than one batch of an earlier leader. */
const newestCount = 256
/** Sequence numbers per step of a search. */
const searchSpan = 4_096

const selectNewest = statement(
  'outbox.newest',
  `select position, id, stream_sequence as sequence from outbox_messages where stream_sequence is not null order by position desc limit :count`,
)
const selectBetween = statement(
  'outbox.between',
  `select position, id, stream_sequence as sequence from outbox_messages
   where stream_sequence >= :from and stream_sequence < :until order by stream_sequence`,
)
const selectHighestBelow = statement(
  'outbox.highest-below',
  `select max(stream_sequence) as sequence from outbox_messages where stream_sequence < :before`,
)
const unmarkAbove = statement(
  'outbox.unmark-above',
  `with lost as (
     update outbox_messages set published_at = null, stream_sequence = null where stream_sequence > :last returning 1)
   select count(*)::int as count from lost`,
)
const unmark = statement(
  'outbox.unmark',
  `update outbox_messages set published_at = null, stream_sequence = null where position = any (:positions::bigint[])`,
)

const republished = counter('outbox_republished_events_total', 'Published events that the stream had lost and that are published again.')

/**
 * Finds published events that the stream does not contain any more, after it came back older or empty, and makes them unpublished: the relay
 * then publishes them again, in order, before later ones. What identifies an event in the stream is its id with its sequence number, because
 * other events may have got the number.
 *
 * The stream is compared at the start of a leader, after each reconnect before anything is published, at intervals, and when an
 * acknowledgement has a sequence number that was used before.
 */
export class LostEvents {
  readonly #options: LostEventsOptions
  /** Some events published since the last comparison, and the newest one known to be in the stream. */
  #anchors: PublishedEvent[] = []
  /** The highest sequence number that the stream is known to have used. */
  #highest = 0
  /** A sequence number known to be lost. */
  #lostFrom: number | null = null
  #checkedAt = -Infinity
  /** Whether events were published since the last comparison. */
  #hasPublished = false
  /** Interruptions of the connection at the last comparison; null before the first. */
  #interruptions: number | null = null
  /** Time of the first of several comparisons without a reply of the provisioner. */
  #failedSince: number | null = null
  /** Lost events found so far by a search that is not complete. */
  #found = 0

  constructor(options: LostEventsOptions) {
    this.#options = options
  }

  /** Whether nothing may be published before the next comparison. */
  isBlocked(): boolean {
    return this.#lostFrom !== null || this.#interruptions !== countInterruptions(this.#options.connection)
  }

  /** Compares when that is due. Returns whether events may be published. */
  async check(): Promise<boolean> {
    const isBlocked = this.isBlocked()
    const everyMs = this.#hasPublished ? checkEveryMs.active : checkEveryMs.idle
    if (!isBlocked && performance.now() - this.#checkedAt < everyMs) return true
    const { connection, log } = this.#options
    if (isDisconnected(connection)) return false
    const interruptions = countInterruptions(connection)
    try {
      await this.#compare()
      this.#failedSince = null
      this.#hasPublished = false
    } catch (error) {
      if (this.#failedSince === null) log.warn({ err: error }, 'outbox.not-compared')
      this.#failedSince ??= performance.now()
      const isWaiting = performance.now() - this.#failedSince < awaitProvisionerMs
      if (isBlocked && (isWaiting || this.#lostFrom !== null)) return false
    }
    this.#checkedAt = performance.now()
    this.#interruptions = interruptions
    return true
  }

  /**
   * Whether an acknowledgement shows that the stream went back, because a new event got a sequence number that was used before. Publishing
   * is then blocked until the lost events have been found.
   */
  detectReuse({ sequence, isDuplicate }: { sequence: number; isDuplicate: boolean }): boolean {
    const isReused = !isDuplicate && sequence <= this.#highest
    if (isReused) this.#lostFrom = Math.min(sequence, this.#lostFrom ?? sequence)
    return isReused
  }

  /** Remembers the newest event of a batch. */
  remember(newest: PublishedEvent): void {
    this.#highest = Math.max(this.#highest, newest.sequence)
    this.#anchors.push(newest)
    this.#hasPublished = true
    // The first one stays: it was published before the others.
    if (this.#anchors.length > maxAnchors) this.#anchors = this.#anchors.filter((_, index) => index % 2 === 0)
  }

  async #compare(): Promise<void> {
    const { connection, leadership } = this.#options
    if (this.#interruptions === null && this.#anchors.length === 0) {
      this.#anchors = toMarked(await leadership.execute(selectNewest, [newestCount]))
    }
    const last = await this.#readLastSequence()
    const [highestAnchor] = this.#anchors.toSorted((a, b) => b.sequence - a.sequence)
    if (highestAnchor && highestAnchor.sequence > last) this.#lostFrom ??= last + 1
    if (this.#lostFrom === null) {
      const missing = await findMissingEvents(connection, this.#anchors)
      if (missing.length > 0) this.#lostFrom = Math.min(...missing.map(({ sequence }) => sequence))
    }
    if (this.#lostFrom === null) {
      this.#anchors = highestAnchor ? [highestAnchor] : []
      this.#highest = last
    } else await this.#unmarkLost(this.#lostFrom)
  }

  /** Makes all lost events unpublished. If it fails in between, the rest is found by the next comparison. */
  async #unmarkLost(lostFrom: number): Promise<void> {
    const { leadership, log } = this.#options
    const last = await this.#readLastSequence()
    const [above] = await leadership.executeLong(unmarkAbove, [last])
    this.#count(Number(above?.['count']))
    for (let from = lostFrom; from <= last; from += searchSpan) await this.#unmarkMissing(from, Math.min(from + searchSpan, last + 1))
    // A stream loses its end, so below events that it contains it contains all.
    for (let until = Math.min(lostFrom, last + 1); until > 1;) {
      const { found, missing } = await this.#unmarkMissing(until - searchSpan, until)
      if (found > 0 && missing === 0) break
      until = found > 0 ? until - searchSpan : await this.#readHighestBelow(until)
    }
    this.#anchors = toMarked(await leadership.execute(selectNewest, [1]))
    this.#highest = last
    this.#lostFrom = null
    if (this.#found > 0) log.warn({ lost: this.#found, last_sequence: last }, 'outbox.tail-republished')
    this.#found = 0
  }

  /** Counts events that are unpublished now, also if the search fails later. */
  #count(lost: number): void {
    this.#found += lost
    republished.inc(lost)
  }

  async #unmarkMissing(from: number, until: number): Promise<{ found: number; missing: number }> {
    const { connection, leadership } = this.#options
    const events = toMarked(await leadership.execute(selectBetween, [from, until]))
    const missing = await findMissingEvents(connection, events)
    if (missing.length > 0) await leadership.execute(unmark, [missing.map(({ position }) => position)])
    this.#count(missing.length)
    return { found: events.length, missing: missing.length }
  }

  /** Returns the end of the next range below that has events of this outbox. */
  async #readHighestBelow(until: number): Promise<number> {
    const [row] = await this.#options.leadership.execute(selectHighestBelow, [until])
    return Number(row?.['sequence'] ?? 0) + 1
  }

  async #readLastSequence(): Promise<number> {
    return (await this.#options.manager.streams.info(eventStream.name)).state.last_seq
  }
}

function toMarked(rows: readonly Record<string, unknown>[]): MarkedEvent[] {
  return rows.map(({ position, id, sequence }) => ({ position: String(position), id: String(id), sequence: Number(sequence) }))
}
