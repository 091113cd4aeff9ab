import type { OrdersUnderTest } from './start-orders.ts'

/** Payloads of the committed events of a subject, in order. */
export async function readEvents(orders: OrdersUnderTest, subject: string) {
  const rows = await orders.rows<{ aggregate_id: string; payload: string }>(
    'select aggregate_id, payload from outbox_messages where subject = $1 order by position',
    [subject],
  )
  return rows.map(({ aggregate_id, payload }) => ({ aggregate_id, payload: JSON.parse(payload) }))
}
