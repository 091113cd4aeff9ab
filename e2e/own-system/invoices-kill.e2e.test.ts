import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { eventually } from '@quittance/testing/eventually'
import { readStream } from '@quittance/testing/stream'
import { startSystem, type StartedSystem } from '@quittance/testing/system'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { waitUntilIdle } from '../wait-until-idle.ts'
import { expectAccepted, buyer, sell, waitUntilPaid } from '../sale.ts'

let system: StartedSystem

beforeAll(async () => {
  // Leases of a dead replica expire sooner than in production; the mechanisms are the same.
  const shortTimeouts = { CONSUMER_ACK_WAIT_MS: '2000', JOB_LEASE_MS: '2000' }
  system = await startSystem({ env: { ...shortTimeouts, RATE_LIMIT_PER_SECOND: '0' } })
})
afterAll(() => system[Symbol.asyncDispose]())

const readWorkerPid = () => system.readReadyFile().services.invoices[0]?.pid as number

/** Returns the process group leaders of the browsers that the worker has started. */
function findBrowserPids(): number[] {
  const table = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n')
  return table.flatMap((line) => {
    const [pid, parent] = line.trim().split(/\s+/).map(Number)
    return parent === readWorkerPid() && pid ? [pid] : []
  })
}

function signalBrowsers(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(-pid, signal)
    } catch {
      // The process has exited with its worker.
    }
  }
}

/** Opens a connection to the invoices database that tolerates a kill of the database. */
async function connect(): Promise<Client> {
  const client = new Client({ connectionString: new URL('/invoices', system.readReadyFile().postgres_url ?? '').href })
  client.on('error', () => {})
  await client.connect()
  return client
}

async function waitForLock(statement: string): Promise<void> {
  await eventually(async () =>
    expect(
      await system.rows(
        'invoices',
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query ilike $1`,
        [statement],
      ),
    ).not.toEqual([]),
  )
}

/** A point at which document generation is blocked, so that a kill happens exactly there. */
interface KillPoint {
  block(): Promise<() => Promise<void>>
  waitUntilReached(orderId: string): Promise<void>
}

async function lockTable(table: string): Promise<() => Promise<void>> {
  const client = await connect()
  await client.query('begin')
  await client.query(`lock table ${table} in share row exclusive mode`)
  return () => client.end().catch(() => {})
}

/** Holds the relay lock like another replica, so that committed events are not published. */
async function blockRelay(): Promise<() => Promise<void>> {
  const client = await connect()
  const key = createHash('sha256').update('outbox-relay').digest().readBigInt64BE()
  const lockQuery = client.query('select pg_advisory_lock($1)', [key.toString()])
  await system.rows(
    'invoices',
    `select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name = 'quittance outbox-relay'`,
  )
  await lockQuery
  return () => client.end().catch(() => {})
}

const buildInvoiceQuery = (columns: string, condition: string) => `select ${columns} from invoices i where i.order_id = $1 and ${condition}`

async function waitForRow(sql: string, orderId: string): Promise<void> {
  await eventually(async () => expect(await system.rows('invoices', sql, [orderId])).toHaveLength(1))
}

const killPoints: Record<string, KillPoint> = {
  'while the claimed invoice is printed': {
    async block() {
      const stoppedPids = await eventually(() => {
        const found = findBrowserPids()
        expect(found).not.toEqual([])
        return found
      })
      signalBrowsers(stoppedPids, 'SIGSTOP')
      return async () => signalBrowsers(stoppedPids, 'SIGCONT')
    },
    waitUntilReached: (orderId) => waitForRow(buildInvoiceQuery('', 'attempts = 1 and leased_until is not null'), orderId),
  },
  'after printing, before storing': {
    block: () => lockTable('invoice_documents'),
    waitUntilReached: () => waitForLock('%insert into invoice_documents%'),
  },
  'after storing, before the commit': {
    block: () => lockTable('outbox_messages'),
    waitUntilReached: () => waitForLock('%insert into outbox_messages%'),
  },
  'after the commit, before publication': {
    block: blockRelay,
    waitUntilReached: (orderId) =>
      waitForRow(
        buildInvoiceQuery(
          '',
          `status = 'generated' and exists (select from outbox_messages o where o.aggregate_id = i.id and published_at is null)`,
        ),
        orderId,
      ),
  },
}

const kills: Record<string, () => Promise<void> | void> = {
  worker: () => system.kill('invoices'),
  browser: () => signalBrowsers(findBrowserPids(), 'SIGKILL'),
  // A killed server process restarts all of PostgreSQL, as a power failure would: it recovers from its log.
  async database() {
    // A session that is about to end does not wait for a lock and may be gone before it is killed.
    await eventually(async () => {
      const [session] = await system.rows<{ pid: number }>(
        'invoices',
        `select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'
         order by (wait_event_type = 'Lock') desc nulls last limit 1`,
      )
      process.kill(session?.pid as number, 'SIGKILL')
    })
  },
}

const killedOrderIds: string[] = []

for (const [moment, killPoint] of Object.entries(killPoints)) {
  test.each(Object.entries(kills))(`one number and one document after kill -9 of the %s ${moment} [108–111]`, async (_, kill) => {
    await system.untilReady()
    const orderId = await sell(system)
    await waitUntilPaid(system, orderId)
    await expectAccepted(() => system.api('PATCH', `/v1/orders/${orderId}`, buyer))
    killedOrderIds.push(orderId)
    const release = await killPoint.block()
    try {
      await expectAccepted(() => system.api('POST', `/v1/orders/${orderId}/invoice`))
      await killPoint.waitUntilReached(orderId)
      await kill()
    } finally {
      await release()
    }
    const { url } = await eventually(() => expectAccepted(() => system.api('GET', `/v1/orders/${orderId}/invoice`)))
    const documents = await eventually(() =>
      system.rows<{ number: string; sha256: string }>(
        'invoices',
        'select i.number, d.sha256 from invoices i left join invoice_documents d on d.invoice_id = i.id where i.order_id = $1',
        [orderId],
      ),
    )
    expect(documents).toEqual([{ number: expect.any(String), sha256: expect.any(String) }])
    const bytes = Buffer.from(await (await fetch(url)).arrayBuffer())
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(documents[0]?.sha256)
  })
}

test('after all kills each order has one invoice event and the numbers have no gap [4, 40, 111]', async () => {
  await system.untilReady()
  await eventually(async () => {
    for (const id of killedOrderIds)
      expect((await system.api('GET', `/v1/orders/${id}`)).body).toMatchObject({ is_invoice_generated: true })
  })
  // An order shows its invoice before its event is published: the relay may still be recovering from the last kill.
  await waitUntilIdle(system)
  const stream = await readStream(system.readReadyFile().stream_url)
  const invoicedOrderIds = stream
    .filter(({ subject }) => subject === 'event.invoice.generated')
    .map(({ payload }) => (payload as { order_id: string }).order_id)
  expect(invoicedOrderIds.toSorted()).toEqual(killedOrderIds.toSorted())
  const updates = stream.filter(
    ({ subject, payload }) => subject === 'event.order.updated' && (payload as { is_invoice_generated: boolean }).is_invoice_generated,
  )
  expect(updates.map(({ aggregateId }) => aggregateId).toSorted()).toEqual(killedOrderIds.toSorted())
  const { items } = (await system.api('GET', '/v1/invoices/series')).body
  expect(items).toMatchObject([{ count: killedOrderIds.length, missing: [] }])
})
