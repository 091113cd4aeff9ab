import { setTimeout as pause } from 'node:timers/promises'
import { openQueryPool } from '@quittance/testing/query-pool'

export interface PaymentRow {
  id: string
  order_id: string
  state: string
  provider_payment: string | null
}

/** The row of a method that a buyer stores. */
export interface SetupRow {
  id: string
  state: string
  provider_setup: string | null
  token: string
}

type HistoryTable = 'payments' | 'payment_setups' | 'refunds'

interface Moved extends Record<string, unknown> {
  isComplete: boolean
}

/** Time for a payment to be settled in one life; then the next one continues. */
const patienceMs = 1_500

const isFree = '(leased_until is null or leased_until <= now())'

/** Minutes pass: leases of dead processes have expired, and their calls have ended at the provider. Returns whether they passed for every row. */
const passTime = (table: HistoryTable, { isOpen, where }: { isOpen: string; where: string }) => `
  with moved as (
    update ${table} set leased_until = null, sent_at = sent_at - $1 * interval '1 minute', first_sent_at = first_sent_at - $1 * interval '1 minute',
      next_check_at = now() where ${isOpen}${where} returning id)
  select (select count(*) from moved) = (select count(*) from ${table} where ${isOpen}) as "isComplete"`

const ofCheckout = 'select id, order_id, state, provider_payment from payments where checkout_id = $1 order by created_at'

const ofCustomer = `select id, state, provider_setup, request->'source'->>'token' as token from payment_setups where customer_id = $1`
const wakeJobs = `select pg_notify('wake', 'settle-due-payments'), pg_notify('wake', 'settle-due-setups'), pg_notify('wake', 'check-due-refunds')`

/** The condition of rows that are not settled. */
const openRows: Record<HistoryTable, string> = { payments: 'is_open', payment_setups: 'settled_at is null', refunds: `status = 'pending'` }
/** The condition of setups that wait for no person. */
const isNotWaiting = `state <> 'requires_action'`
const tables = Object.keys(openRows) as HistoryTable[]

/** The rows of histories. */
export function openHistoryRows(databaseUrl: string) {
  const pool = openQueryPool(databaseUrl, { 'quittance.payments': 'port' })
  const wake = () => pool.query(wakeJobs)
  return {
    payments: (checkoutId: string) => pool.query<PaymentRow>(ofCheckout, [checkoutId]),
    setups: (customerId: string) => pool.query<SetupRow>(ofCustomer, [customerId]),
    async stateOf(id: string, table: HistoryTable = 'payments'): Promise<string | undefined> {
      return (await pool.query<PaymentRow>(`select state from ${table} where id = $1`, [id]))[0]?.state
    },
    ...openOwners(pool),
    /** What an event of the provider does. */
    async checkNow(table: HistoryTable, id: string): Promise<void> {
      await pool.query(`update ${table} set next_check_at = now() where id = $1`, [id])
      await wake()
    },
    /** The buyer does nothing for half an hour. */
    async abandon(id: string, table: HistoryTable = 'payments'): Promise<void> {
      await pool.query(`update ${table} set created_at = created_at - interval '31 minutes', next_check_at = now() where id = $1`, [id])
      await wake()
    },
    /** Buyers leave: what was not submitted within ten minutes ends. */
    async leave(): Promise<void> {
      await pool.query(`update payments set created_at = created_at - interval '11 minutes' where is_open`)
      await pool.query(
        `update payment_setups set created_at = created_at - interval '11 minutes' where ${openRows.payment_setups} and ${isNotWaiting}`,
      )
    },
    /** `isRunning`: leases of the running process are kept, and no time passes for their rows. Returns whether it passed for all rows. */
    async passTime({ isRunning, minutes = 3 }: { isRunning: boolean; minutes?: number }): Promise<boolean> {
      const free = isRunning ? ` and ${isFree}` : ''
      // Those of settled rows too: a dead process may have read one again.
      if (!isRunning) for (const table of tables) await pool.query(`update ${table} set leased_until = null where leased_until is not null`)
      await pool.query(`update payment_accounts set paused_until = null, settings = settings - 'pause_ms' where paused_until is not null`)
      let isComplete = true
      for (const table of tables) {
        const [moved] = await pool.query<Moved>(passTime(table, { isOpen: openRows[table], where: free }), [minutes])
        isComplete &&= moved?.isComplete ?? false
      }
      await wake()
      return isComplete
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

/** What rows belong to, which is committed before any call about them. */
function openOwners(pool: ReturnType<typeof openQueryPool>) {
  const owners = new Map<string, string>()
  const find = async (sql: string, id: string) => {
    const known = owners.get(id)
    if (known) return known
    const [row] = await pool.query<{ owner: string }>(sql, [id])
    if (row) owners.set(id, row.owner)
    return row?.owner
  }
  return {
    checkoutOf: (paymentId: string) => find('select checkout_id as owner from payments where id = $1', paymentId),
    customerOf: (setupId: string) => find('select customer_id as owner from payment_setups where id = $1', setupId),
  }
}

export type HistoryRows = ReturnType<typeof openHistoryRows>
