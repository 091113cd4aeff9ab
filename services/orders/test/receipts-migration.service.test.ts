import { randomUUID } from 'node:crypto'
import { migrateDatabase } from '@quittance/runtime/database'
import { cloneDatabase, connectTo, definitionBefore } from '@quittance/testing/database'
import { expect, test } from 'vitest'
import { database } from '../src/database.ts'

const seller = randomUUID()

type Client = Awaited<ReturnType<typeof connectTo>>

/** Writes a payment with its receipts as the previous release did. What the rows refer to does not matter here. */
async function insertPayment(client: Client, { receipts, captured }: { receipts: readonly number[]; captured: number | null }) {
  const id = randomUUID()
  await client.query(
    `insert into payments (id, created_at, organization_id, order_id, amount, currency, status, state, captured_amount, applied_at, settled_at,
      next_check_at, action, action_until, provider, payment_account_id, mode, request, initiator, confirmation_token, provider_payment)
    select $1::uuid, now(), $2::uuid, $1::uuid, 4200, 'eur', case when p.is_open then 'pending' else 'succeeded' end,
      case when p.is_open then 'requires_action' else 'succeeded' end, $3::bigint, case when not p.is_open then now() end,
      case when not p.is_open then now() end, case when p.is_open then now() end, case when p.is_open then '{"by":"transfer"}'::jsonb end,
      case when p.is_open then now() end, 'bank_transfer', $2::uuid, 'live', '{}', 'buyer', '', $1::text
    from (select $3::bigint is null as is_open) p`,
    [id, seller, captured],
  )
  await insertReceipts(client, { paymentId: id, receipts })
}

async function insertReceipts(client: Client, { paymentId, receipts }: { paymentId: string | null; receipts: readonly number[] }) {
  for (const [index, amount] of receipts.entries()) {
    await client.query(
      `insert into bank_receipts (id, created_at, organization_id, payment_account_id, payment_id, amount, currency, booked_on, bank_reference, source)
      values (gen_random_uuid(), now() + $4 * interval '1 second', $1, $1, $2, $3, 'eur', '2026-11-20', gen_random_uuid(), 'statement')`,
      [seller, paymentId, amount, index],
    )
  }
}

test('the migration finds what payments have not taken of the receipts of the previous release, and books nothing', async () => {
  const cloned = await cloneDatabase('orders', definitionBefore(database, 'return-receipts'))
  const client = await connectTo(cloned.url)
  try {
    await client.query('set session_replication_role = replica')
    await insertPayment(client, { captured: 4_200, receipts: [4_000, 500, 100] })
    await insertPayment(client, { captured: 4_200, receipts: [4_200] })
    await insertPayment(client, { captured: null, receipts: [1_000] })
    await insertReceipts(client, { paymentId: null, receipts: [700, 800] })
    await migrateDatabase(database, { url: cloned.migrationUrl })
    const { rows } = await client.query('select amount::int, unapplied_amount::int as left from bank_receipts order by amount')
    expect(rows).toEqual([
      { amount: 100, left: 100 },
      { amount: 500, left: 300 },
      { amount: 700, left: 700 },
      { amount: 800, left: 800 },
      { amount: 1_000, left: 1_000 },
      { amount: 4_000, left: 0 },
      { amount: 4_200, left: 0 },
    ])
    expect((await client.query('select from ledger_entries')).rows).toEqual([])
    // The trigger that books and guards them is enabled again.
    await client.query('set session_replication_role = origin')
    await expect(client.query('update bank_receipts set amount = 900 where amount = 800')).rejects.toThrow('only assigned to a payment')
  } finally {
    await client.end()
    await cloned.drop()
  }
})
