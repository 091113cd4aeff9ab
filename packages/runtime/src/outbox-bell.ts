import type pg from 'pg'

/**
 * Says that there is something to tell, once it is committed: to the relay in this process, or by PostgreSQL to the one of another
 * replica. Not by the transaction itself, whose `notify` would make all commits of the database wait for one another. A ring that is lost costs a poll interval.
 */
export interface OutboxBell {
  ring(): void
  /** The relay works here from now on; null when it no longer does. */
  heardBy(relay: (() => void) | null): void
}

/** One `notify` at a time: what is rung meanwhile is said by the next. */
export function createOutboxBell(pool: pg.Pool): OutboxBell {
  let relay: (() => void) | null = null
  let isRung = false
  let notifying: Promise<void> | null = null

  async function notify(): Promise<void> {
    while (isRung) {
      isRung = false
      await pool.query(`notify wake, 'outbox'`).catch(() => {})
    }
    notifying = null
  }
  return {
    ring() {
      if (relay) return relay()
      isRung = true
      notifying ??= notify()
    },
    heardBy(next) {
      relay = next
    },
  }
}
