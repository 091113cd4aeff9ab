import { setTimeout as pause } from 'node:timers/promises'
import { openQueryPool } from '@quittance/testing/query-pool'

export interface PaymentRow {
  id: string
  order_id: string
  state: string
  provider_payment: string | null
}

interface Moved extends Record<string, unknown> {
  isComplete: boolean
}

/** Time for a payment to be settled in one life; then the next one continues. */
const patienceMs = 1_500

const isFree = '(leased_until is null or leased_until <= now())'

/** Minutes pass: leases of dead processes have expired, and their calls have ended at the provider. Returns whether they passed for every row. */
const passTime = (table: 'payments' | 'refunds', { isOpen, where }: { isOpen: string; where: string }) => `
  with moved as (
    update ${table} set leased_until = null, sent_at = sent_at - $1 * interval '1 minute', first_sent_at = first_sent_at - $1 * interval '1 minute',
      next_check_at = now() where ${isOpen}${where} returning id)
  select (select count(*) from moved) = (select count(*) from ${table} where ${isOpen}) as "isComplete"`

const ofCheckout = 'select id, order_id, state, provider_payment from payments where checkout_id = $1 order by created_at'

/** The rows of histories. */
export function openHistoryRows(databaseUrl: string) {
  const pool = openQueryPool(databaseUrl, { 'quittance.payments': 'port' })
  const checkouts = new Map<string, string>()
  const wake = () => pool.query(`select pg_notify('wake', 'settle-due-payments'), pg_notify('wake', 'check-due-refunds')`)
  return {
    payments: (checkoutId: string) => pool.query<PaymentRow>(ofCheckout, [checkoutId]),
    async stateOf(id: string): Promise<string | undefined> {
      return (await pool.query<PaymentRow>('select state from payments where id = $1', [id]))[0]?.state
    },
    /** Returns the checkout of a payment, which is committed before any call about it. */
    async checkoutOf(id: string): Promise<string | undefined> {
      const known = checkouts.get(id)
      if (known) return known
      const rows = await pool.query<{ checkout_id: string }>('select checkout_id from payments where id = $1', [id])
      if (rows[0]) checkouts.set(id, rows[0].checkout_id)
      return rows[0]?.checkout_id
    },
    /** What an event of the provider does. */
    async checkNow(table: 'payments' | 'refunds', id: string): Promise<void> {
      await pool.query(`update ${table} set next_check_at = now() where id = $1`, [id])
      await wake()
    },
    /** The buyer does nothing for half an hour. */
    async abandon(id: string): Promise<void> {
      await pool.query(`update payments set created_at = created_at - interval '31 minutes', next_check_at = now() where id = $1`, [id])
      await wake()
    },
    /** Buyers leave: a payment that was not submitted within ten minutes ends. */
    async leave(): Promise<void> {
      await pool.query(`update payments set created_at = created_at - interval '11 minutes' where is_open`)
    },
    /** `isRunning`: leases of the running process are kept, and no time passes for their rows. Returns whether it passed for all rows. */
    async passTime({ isRunning, minutes = 3 }: { isRunning: boolean; minutes?: number }): Promise<boolean> {
      const free = isRunning ? ` and ${isFree}` : ''
      // Those of settled rows too: a dead process may have read one again.
      if (!isRunning)
        for (const table of ['payments', 'refunds'])
          await pool.query(`update ${table} set leased_until = null where leased_until is not null`)
      const [payments] = await pool.query<Moved>(passTime('payments', { isOpen: 'is_open', where: free }), [minutes])
      await pool.query(`update payment_accounts set paused_until = null, settings = settings - 'pause_ms' where paused_until is not null`)
      const [refunds] = await pool.query<Moved>(passTime('refunds', { isOpen: `status = 'pending'`, where: free }), [minutes])
      await wake()
      return Boolean(payments?.isComplete && refunds?.isComplete)
    },
    /** What the checks look for that come weeks later: refunds that banks returned. */
    async readRefundsAgain(): Promise<void> {
      await pool.query(`update refunds set next_check_at = now() where state = 'succeeded' and ${isFree}`)
      await wake()
    },
    all<Row extends Record<string, unknown>>(sql: string): Promise<Row[]> {
      return pool.query<Row>(sql)
    },
    async isSoon(condition: () => Promise<boolean>): Promise<boolean> {
      for (const end = Date.now() + patienceMs; Date.now() < end; await pause(60)) if (await condition()) return true
      return false
    },
    close: () => pool.close(),
  }
}

export type HistoryRows = ReturnType<typeof openHistoryRows>
