import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { eventually } from '@quittance/testing/eventually'
import { readStream } from '@quittance/testing/stream'
import { startSystem, type StartedSystem } from '@quittance/testing/system'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { untilQuiet } from '../quiet.ts'
import { accepted, buyer, sell, untilPaid } from '../sale.ts'

let system: StartedSystem

beforeAll(async () => {
  // What a dead replica held is given up sooner than in production; the mechanisms are the same.
  const quick = { CONSUMER_ACK_WAIT_MS: '2000', JOB_LEASE_MS: '2000' }
  system = await startSystem({ env: { ...quick, RATE_LIMIT_PER_SECOND: '0' } })
})
afterAll(() => system[Symbol.asyncDispose]())

const worker = () => system.facts().services.invoices[0]?.pid as number

/** Leaders of the browsers that a worker has started. */
function browsers(): number[] {
  const table = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n')
  return table.flatMap((line) => {
    const [pid, parent] = line.trim().split(/\s+/).map(Number)
    return parent === worker() && pid ? [pid] : []
  })
}

function signalBrowsers(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(-pid, signal)
    } catch {
      // It ended with its worker.
    }
  }
}

/** A connection to the database of invoices that ends with the database, if that is what is killed. */
async function connect(): Promise<Client> {
  const client = new Client({ connectionString: new URL('/invoices', system.facts().postgres_url ?? '').href })
  client.on('error', () => {})
  await client.connect()
  return client
}

async function waits(statement: string): Promise<void> {
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

/** Where the making of a document is held up, so that a kill meets it there and nowhere else. */
interface Step {
  hold(): Promise<() => Promise<void>>
  reached(orderId: string): Promise<void>
}

async function holdTable(table: string): Promise<() => Promise<void>> {
  const client = await connect()
  await client.query('begin')
  await client.query(`lock table ${table} in share row exclusive mode`)
  return () => client.end().catch(() => {})
}

/** Another replica that tells what was committed, and takes its time. */
async function holdRelay(): Promise<() => Promise<void>> {
  const client = await connect()
  const key = createHash('sha256').update('outbox-relay').digest().readBigInt64BE()
  const held = client.query('select pg_advisory_lock($1)', [key.toString()])
  await system.rows(
    'invoices',
    `select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name = 'quittance outbox-relay'`,
  )
  await held
  return () => client.end().catch(() => {})
}

const invoiceOf = (columns: string, condition: string) => `select ${columns} from invoices i where i.order_id = $1 and ${condition}`

async function untilRow(sql: string, orderId: string): Promise<void> {
  await eventually(async () => expect(await system.rows('invoices', sql, [orderId])).toHaveLength(1))
}

const steps: Record<string, Step> = {
  'after the claim, while it is printed': {
    async hold() {
      const stopped = await eventually(() => {
        const found = browsers()
        expect(found).not.toEqual([])
        return found
      })
      signalBrowsers(stopped, 'SIGSTOP')
      return async () => signalBrowsers(stopped, 'SIGCONT')
    },
    reached: (orderId) => untilRow(invoiceOf('', 'attempts = 1 and leased_until is not null'), orderId),
  },
  'printed, before it is stored': {
    hold: () => holdTable('invoice_documents'),
    reached: () => waits('%insert into invoice_documents%'),
  },
  'stored, before that is committed': {
    hold: () => holdTable('outbox_messages'),
    reached: () => waits('%insert into outbox_messages%'),
  },
  'committed, before it is told': {
    hold: holdRelay,
    reached: (orderId) =>
      untilRow(
        invoiceOf(
          '',
          `status = 'generated' and exists (select from outbox_messages o where o.aggregate_id = i.id and published_at is null)`,
        ),
        orderId,
      ),
  },
}

const kills: Record<string, () => Promise<void> | void> = {
  worker: () => system.kill('invoices'),
  browser: () => signalBrowsers(browsers(), 'SIGKILL'),
  // A server process that is killed takes all of PostgreSQL with it, as a power cut would: it recovers from its log.
  async database() {
    // One that is about to end waits for nothing, and may be gone before it is killed.
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

const killed: string[] = []

for (const [where, step] of Object.entries(steps)) {
  test.each(Object.entries(kills))(`kill -9 of the %s ${where}: one number, one document (checklist 108–111)`, async (_, kill) => {
    await system.untilReady()
    const orderId = await sell(system)
    await untilPaid(system, orderId)
    await accepted(() => system.api('PATCH', `/v1/orders/${orderId}`, buyer))
    killed.push(orderId)
    const release = await step.hold()
    try {
      await accepted(() => system.api('POST', `/v1/orders/${orderId}/invoice`))
      await step.reached(orderId)
      await kill()
    } finally {
      await release()
    }
    const { url } = await eventually(() => accepted(() => system.api('GET', `/v1/orders/${orderId}/invoice`)))
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

test('after all kills each order was told once that its invoice is there, and the numbers have no gap (checklist 4, 40, 111)', async () => {
  await system.untilReady()
  await eventually(async () => {
    for (const id of killed) expect((await system.api('GET', `/v1/orders/${id}`)).body).toMatchObject({ is_invoice_generated: true })
  })
  // An order says that its invoice is there before its event is told: whoever tells may still be on the way back from the last kill.
  await untilQuiet(system)
  const stream = await readStream(system.facts().nats_url)
  const told = stream
    .filter(({ subject }) => subject === 'event.invoice.generated')
    .map(({ payload }) => (payload as { order_id: string }).order_id)
  expect(told.toSorted()).toEqual(killed.toSorted())
  const updates = stream.filter(
    ({ subject, payload }) => subject === 'event.order.updated' && (payload as { is_invoice_generated: boolean }).is_invoice_generated,
  )
  expect(updates.map(({ aggregateId }) => aggregateId).toSorted()).toEqual(killed.toSorted())
  const { items } = (await system.api('GET', '/v1/invoices/series')).body
  expect(items).toMatchObject([{ count: killed.length, missing: [] }])
})
