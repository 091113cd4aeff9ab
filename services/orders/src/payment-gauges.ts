import type { Database } from '@quittance/runtime/database'
import { gauge } from '@quittance/runtime/metrics'
import { createSystemSql, type SystemSql } from '@quittance/sql/sql-runner'

const states = ['created', 'prepared', 'submitted', 'requires_action', 'processing', 'closing'] as const

const countOpen = `select state, count(*)::int as count from payments where is_open group by state`

// Those that wait for a buyer, a bank debit or an operator can take days.
const oldest = `
  select coalesce(extract(epoch from now() - min(created_at)), 0)::float8 as seconds from payments
  where is_open and state in ('created', 'prepared', 'submitted', 'closing') and quarantined_at is null`

const countQuarantined = `
  select 'payment' as kind, count(*)::int as count from payments where quarantined_at is not null
  union all select 'setup', count(*)::int from payment_setups where quarantined_at is not null and next_check_at is not null
  union all select 'refund', count(*)::int from refunds where quarantined_at is not null and next_check_at is not null`

// An open payment waits for the rest of its money.
const countUnmatched = `
  select count(*)::int as count from bank_receipts b left join payments p on p.id = b.payment_id
  where b.unapplied_amount > 0 and p.is_open is not true`

const countUnhealthy = `
  select count(*)::int as count from payment_accounts where status <> 'disabled' and not coalesce((health->>'is_healthy')::boolean, true)`

/** Registers the gauges of payments. Each is read from the database when it is scraped, so that replicas show the same. */
export function registerPaymentGauges(database: Database): void {
  const systemSql = createSystemSql(database, 'measures the payments of all organizations')
  gauge('payments_open', 'Number of payments that are not final, by state.', {
    labels: ['state'],
    async collect(each) {
      const rows = await systemSql<{ state: string; count: number }>('payments.measure-open', countOpen)
      for (const state of states) each.set({ state }, rows.find((row) => row.state === state)?.count ?? 0)
    },
  })
  gauge('payments_oldest_unsettled_seconds', 'Age in seconds of the oldest payment that waits for an answer of its provider.', {
    async collect(each) {
      const [row] = await systemSql<{ seconds: number }>('payments.measure-oldest', oldest)
      each.set(row?.seconds ?? 0)
    },
  })
  gauge('payments_quarantined', 'Number of rows in quarantine, by kind: payment, setup or refund.', {
    labels: ['kind'],
    async collect(each) {
      const rows = await systemSql<{ kind: string; count: number }>('payments.measure-quarantined', countQuarantined)
      for (const { kind, count } of rows) each.set({ kind }, count)
    },
  })
  registerAccountGauges(systemSql)
}

function registerAccountGauges(systemSql: SystemSql): void {
  gauge('bank_receipts_unmatched', 'Number of bank receipts with money that no payment takes and that was not returned.', {
    async collect(each) {
      const [row] = await systemSql<{ count: number }>('bank-receipts.measure-unmatched', countUnmatched)
      each.set(row?.count ?? 0)
    },
  })
  gauge('payment_accounts_unhealthy', 'Number of accounts that their provider rejects, except disabled ones.', {
    async collect(each) {
      const [row] = await systemSql<{ count: number }>('payment-accounts.measure-unhealthy', countUnhealthy)
      each.set(row?.count ?? 0)
    },
  })
}
