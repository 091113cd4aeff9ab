import { createRefund, type Refund } from '@quittance/contracts/refunds'
import { call } from '@quittance/runtime/rpc-client'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { expectMoneyToAddUp } from './money.ts'
import { useTestProcessor } from './slow-processor.ts'
import { startOrders } from './start-orders.ts'
import { startHangingReplica } from './start-replica.ts'

const reason = 'customer_request' as const

test('a kill between the call of a refund and its record leaves one refund, also after a retry [payments 43]', async () => {
  await using orders = await startOrders()
  const { order, seller } = await orders.paidOrder({ billed: false })
  using processor = useTestProcessor()
  await using replica = await startHangingReplica(orders, { call: 'refund', moment: 'after' })
  const keys: string[] = []
  const ask = (idempotencyKey: string): Promise<Refund> =>
    call(orders.connection, {
      operation: createRefund,
      request: { order_id: order.id, reason, amount: 100 },
      caller: seller,
      idempotencyKey,
    })
  // Requests are distributed; one reaches the replica that does not reply.
  await eventually(async () => {
    const key = `key-${keys.length}`
    keys.push(key)
    void ask(key).catch(() => {})
    await eventually(async () => expect(await orders.rows('select from refunds')).toHaveLength(keys.length))
    if (replica.hanging().length === 0) throw new Error('not called yet')
  })
  await replica.kill()
  // The broker may still route a request to the connection of the killed process: a client retries with its key.
  const refunds = await Promise.all(keys.map((key) => eventually(() => ask(key))))
  expect(new Set(refunds.map(({ id }) => id)).size).toBe(keys.length)
  // As after thirty seconds, when the lease of the dead process has expired.
  await orders.rows(`update refunds set leased_until = now() where status = 'pending' returning 1`)
  await eventually(async () => {
    expect(await orders.rows(`select from refunds where status = 'succeeded'`)).toHaveLength(keys.length)
  })
  const made = new Set([...replica.hanging(), ...processor.refunded])
  expect(made).toEqual(new Set(refunds.map(({ id }) => id)))
  expect(await orders.rows(`select from sandbox_objects where kind = 'refund'`)).toHaveLength(keys.length)
  const [now] = await orders.rows('select refunded_amount::int from orders where id = $1', [order.id])
  expect(now).toEqual({ refunded_amount: 100 * keys.length })
  await expectMoneyToAddUp(orders)
})
