import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRefund, type Refund } from '@quittance/contracts/refunds'
import { call } from '@quittance/runtime/rpc-client'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { useTestProcessor } from './slow-processor.ts'
import { startOrders, type OrdersUnderTest } from './start-orders.ts'

const reason = 'customer_request' as const

async function startReplica({ databaseUrl, config }: OrdersUnderTest, ledger: string): Promise<ChildProcess> {
  const env = { ...process.env, ...config, DATABASE_URL: databaseUrl ?? '', HEALTH_PORT: '0' } as unknown as NodeJS.ProcessEnv
  const replica = fork(new URL('hanging-replica.ts', import.meta.url), [ledger], { env, stdio: 'inherit' })
  await once(replica, 'message')
  return replica
}

test('a kill between the call of a refund and its record leaves one refund, also after a retry', async () => {
  await using orders = await startOrders()
  const { order, seller } = await orders.paidOrder({ billed: false })
  using processor = useTestProcessor()
  const folder = mkdtempSync(join(tmpdir(), 'refund-kill-'))
  const ledger = join(folder, 'refunds')
  writeFileSync(ledger, '')
  const replica = await startReplica(orders, ledger)
  const killed = () => readFileSync(ledger, 'utf8').split('\n').filter(Boolean)
  try {
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
      if (killed().length === 0) throw new Error('not called yet')
    })
    replica.kill('SIGKILL')
    await once(replica, 'exit')
    // The broker may still route a request to the connection of the killed process: a client retries with its key.
    const refunds = await Promise.all(keys.map((key) => eventually(() => ask(key))))
    expect(new Set(refunds.map(({ id }) => id)).size).toBe(keys.length)
    // As after thirty seconds, when the lease of the dead process has expired.
    await orders.rows(`update refunds set leased_until = now() where status = 'pending' returning 1`)
    await eventually(async () => {
      expect(await orders.rows(`select from refunds where status = 'succeeded'`)).toHaveLength(keys.length)
    })
    const made = new Set([...killed(), ...processor.refunded])
    expect(made).toEqual(new Set(refunds.map(({ id }) => id)))
    const [now] = await orders.rows('select refunded_amount::int from orders where id = $1', [order.id])
    expect(now).toEqual({ refunded_amount: 100 * keys.length })
  } finally {
    replica.kill('SIGKILL')
    rmSync(folder, { recursive: true })
  }
})
