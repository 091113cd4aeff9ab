import { scale } from '@quittance/testing/scale'
import { expect, test } from 'vitest'
import { openHistoryRows } from './kill-histories/history-rows.ts'
import { runHistories, type HistoriesRun } from './kill-histories/run-histories.ts'
import { expectMoneyToAddUp } from './money.ts'
import { startStripeShop, type StripeShop } from './stripe-shop.ts'

/** `KILL_HISTORIES` and `KILL_RUN` choose how many and which; a failed run is repeated by its number. */
const histories = Number(process.env['KILL_HISTORIES'] ?? scale(12, 100))
const run = Number(process.env['KILL_RUN'] ?? 20)
const sideBySide = 45

/** Money of each payment: what the provider moved, and what the ledger contains. */
async function expectEqualMoney({ orders, fake, stripe }: StripeShop): Promise<void> {
  const signs: Record<string, number> = { captured: 1, refunded: -1, 'refund-failed': 1 }
  const moved: Record<string, number> = {}
  for (const { intent, kind, amount } of fake.state(stripe.id).movements)
    moved[intent] = (moved[intent] ?? 0) + (signs[kind] ?? Number.NaN) * amount
  const booked = await orders.rows<{ intent: string; amount: number }>(
    `select p.provider_payment as intent, sum(case when l.debit = 'provider' then l.amount else -l.amount end)::int as amount
     from ledger_entries l join payments p on p.id = l.payment_id where 'provider' in (l.debit, l.credit) group by 1`,
  )
  expect(Object.fromEntries(booked.map(({ intent, amount }) => [intent, amount]))).toEqual(moved)
}

interface SetupResult {
  state: string
  customer: string | null
  method: string | null
}

const setupResults = `
  select s.provider_setup as intent, s.state, y.provider_payer as customer, m.provider_method as method
  from payment_setups s
  left join payment_methods m on m.id = s.payment_method_id and m.customer_id = s.customer_id and m.status = 'active'
  left join payers y on y.customer_id = s.customer_id and y.payment_account_id = s.payment_account_id and m.id is not null
  where s.provider_setup is not null order by s.provider_setup`

/** Each setup ended as its object at the provider did: a success has exactly one method, a failure none, and no other object stored one. */
async function expectStoredMethods({ orders, fake, stripe }: StripeShop): Promise<void> {
  const { setupIntents, methods } = fake.state(stripe.id)
  const rows = await orders.rows<SetupResult & { intent: string }>(setupResults)
  const ours = Object.fromEntries(rows.map(({ intent, ...result }) => [intent, result]))
  const theirs: Record<string, SetupResult> = {}
  for (const { id, status, customer, payment_method: method } of setupIntents.values()) {
    if (status === 'succeeded') theirs[id] = { state: status, customer: customer as string, method: method as string }
    else if (ours[id]) theirs[id] = { state: status === 'canceled' ? 'failed' : status, customer: null, method: null }
  }
  expect(ours).toEqual(theirs)
  expect(await orders.rows(`select id, state from payment_setups where state <> 'failed' and provider_setup is null`)).toEqual([])
  const attached = [...methods.values()].filter(({ customer }) => customer !== null).map(({ id }) => id)
  const stored = await orders.rows<{ method: string }>('select provider_method as method from payment_methods')
  expect(stored.map(({ method }) => method).toSorted()).toEqual(attached.toSorted())
  const defaults = await orders.rows(`select customer_id from payment_methods group by 1 having count(*) filter (where is_default) <> 1`)
  expect(defaults).toEqual([])
}

test(`the money that moved equals the ledger after kills between any two steps, ${histories} histories [payments 43]`, async () => {
  await using shop = await startStripeShop()
  const { orders, fake, stripe } = shop
  await orders.stop()
  const rows = openHistoryRows(orders.databaseUrl ?? '')
  const counts: HistoriesRun = { kills: {}, faults: {} }
  try {
    for (let first = 0; first < histories; first += sideBySide) {
      const numbers = Array.from({ length: Math.min(sideBySide, histories - first) }, (_, index) => first + index)
      await runHistories({ shop, rows, counts }, { run, numbers })
      await expectEqualMoney(shop)
      await expectMoneyToAddUp(orders)
      await expectStoredMethods(shop)
    }
  } finally {
    await rows.close()
  }
  const [left] = await orders.rows(`select
    (select count(*)::int from payments where quarantined_at is not null or is_open) as open_payments,
    (select count(*)::int from refunds where quarantined_at is not null or status = 'pending') as open_refunds,
    (select count(*)::int from payment_setups where quarantined_at is not null or settled_at is null) as open_setups,
    (select count(*)::int from (select order_id from ledger_entries where reason = 'captured' and credit = 'order' group by 1 having count(*) > 1) o) as paid_twice`)
  expect(left).toEqual({ open_payments: 0, open_refunds: 0, open_setups: 0, paid_twice: 0 })
  expect(fake.keysNotOurs()).toEqual([])
  const [sold] = await orders.rows(`select count(*)::int as payments, count(*) filter (where applied_at is not null)::int as paid,
    (select count(*)::int from refunds) as refunds, (select count(*)::int from payment_setups) as setups,
    (select count(*)::int from payment_methods) as stored from payments`)
  process.stdout.write(`Run ${run}: ${JSON.stringify({ histories, ...sold, moved: fake.moneyMoved(stripe.id), ...counts })}\n`)
}, 1_800_000)
