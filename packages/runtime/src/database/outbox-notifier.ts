import type pg from 'pg'

/**
 * Notifies the relay after the commit that the outbox has new rows: directly if it runs in this process, otherwise with PostgreSQL's
 * `notify`. Not within the transaction, where `notify` would serialize all commits of the database. A lost notification delays publication
 * by one poll interval.
 */
export interface OutboxNotifier {
  notify(): void
  /** Sets the relay of this process; null when it stops. */
  setLocalListener(relay: (() => void) | null): void
}

/** Runs one `notify` at a time: calls in the meantime share the next one. */
export function createOutboxNotifier(pool: pg.Pool): OutboxNotifier {
  let relay: (() => void) | null = null
  let isPending = false
  let notifying: Promise<void> | null = null

  async function notify(): Promise<void> {
    while (isPending) {
      isPending = false
      await pool.query(`notify wake, 'outbox'`).catch(() => {})
    }
    notifying = null
  }
  return {
    notify() {
      if (relay) return relay()
      isPending = true
      notifying ??= notify()
    },
    setLocalListener(next) {
      relay = next
    },
  }
}
