import { expect } from 'vitest'
import type { OrdersUnderTest } from './start-orders.ts'

/** Runs a statement as this release does; `orders.rows` runs it as the release before would. */
export async function asThisRelease({ rows }: OrdersUnderTest, sql: string): Promise<void> {
  await rows(`do $release$ begin perform set_config('quittance.payments', 'port', true); ${sql}; end $release$`)
}

const perOrder = `
  select o.id as order_id, l.balance::bigint as ledger, o.balance::bigint as order
  from (select id, case when status = 'pending' or total_amount = 0 then 0
      else total_amount - refunded_amount - refunded_tax_amount - refunding_amount - refunding_tax_amount end as balance from orders) o
  cross join lateral (select coalesce(sum(case when credit = 'order' then amount else 0 end - case when debit = 'order' then amount else 0 end), 0)
    as balance from ledger_entries where order_id = o.id) l
  where l.balance <> o.balance`

const perPayment = `
  select p.id, p.refunding_amount, p.refunded_amount from payments p
  cross join lateral (select
      coalesce(sum(amount + tax_amount) filter (where status = 'pending'), 0) as refunding,
      coalesce(sum(amount + tax_amount) filter (where status = 'succeeded'), 0) as refunded
    from refunds where payment_id = p.id) r
  where p.refunding_amount <> r.refunding or p.refunded_amount <> r.refunded`

const balance = (account: string) => `
  select coalesce(sum(case when credit = '${account}' then amount else -amount end), 0)::int as balance
  from ledger_entries where '${account}' in (debit, credit)`

/** Asserts that the ledger equals the orders and payments, and that money that belongs to no order is returned or on its way back. */
export async function expectMoneyToAddUp(orders: Pick<OrdersUnderTest, 'rows'>): Promise<void> {
  expect(await orders.rows(perOrder)).toEqual([])
  expect(await orders.rows(perPayment)).toEqual([])
  expect(await orders.rows(balance('unapplied'))).toEqual([{ balance: 0 }])
  // In one statement, because a refund may settle between two.
  const underWay = `select coalesce(sum(amount + tax_amount), 0)::int as balance from refunds where status = 'pending'`
  const [refunds] = await orders.rows<{ entered: number; pending: number }>(
    `select (${balance('refunds_under_way')}) as entered, (${underWay}) as pending`,
  )
  expect(refunds?.entered).toBe(refunds?.pending)
}
