import { durableConsumers, eventStream } from '@quittance/contracts/streams'
import type { ServiceComponent, ServiceResources } from '@quittance/runtime/service'
import type { ScopedSql } from '@quittance/sql/sql-runner'
import { setTimeout } from 'node:timers/promises'
import { config } from '../config.ts'

/** Returns the number of events about customers that wait to be handled; set while the service runs. */
let countPending: (() => Promise<number>) | undefined

const jetstreamTimeoutMs = 1_000

/** Lets requests see how far the copy of customers is. */
export async function startCopyProgress({ connection }: ServiceResources): Promise<ServiceComponent> {
  const manager = await connection.jetstreamManager({ timeout: jetstreamTimeoutMs, checkAPI: false })
  countPending = async () => {
    const { num_pending, num_ack_pending } = await manager.consumers.info(eventStream.name, durableConsumers.usageCustomers.durable)
    return num_pending + num_ack_pending
  }
  return { name: 'copy-progress', close: async () => void (countPending = undefined) }
}

const countUnknown = `
  select count(*)::int as unknown from unnest(:ids::uuid[]) id
  where not exists (select from customers c where c.id = id.id and c.organization_id = any (:scope_organizations))`

const readParked = `select exists (select from parked_messages where ordering_key = any (:scope_organizations::text[])) as is_parked`

const pollMs = 25

/**
 * Waits until the copy has every customer, at most `CUSTOMER_WAIT_MS`: a customer who was created just now may be on the way. Holds no
 * connection while it waits.
 *
 * @returns Whether a customer who is still missing may be on the way.
 */
export async function awaitCustomers(sql: ScopedSql, ids: readonly string[]): Promise<{ isBehind: boolean }> {
  const until = performance.now() + config().CUSTOMER_WAIT_MS
  for (;;) {
    const [row] = await sql<{ unknown: number }>('customers.count-unknown', countUnknown, { ids })
    if (row?.unknown === 0) return { isBehind: false }
    if (performance.now() >= until) return { isBehind: await isCopyBehind(sql) }
    await setTimeout(pollMs)
  }
}

/** Whether events about customers wait: in the stream, or after a failure. Unknown counts as yes. */
async function isCopyBehind(sql: ScopedSql): Promise<boolean> {
  const [row] = await sql<{ is_parked: boolean }>('customers.read-parked', readParked)
  if (row?.is_parked) return true
  return (await countPending?.().catch(() => 1)) !== 0
}
