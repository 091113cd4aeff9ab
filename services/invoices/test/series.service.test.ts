import { randomUUID } from 'node:crypto'
import type { Caller } from '@quittance/contracts/caller'
import { listInvoiceSeries } from '@quittance/contracts/invoices'
import { organizationCaller } from '@quittance/testing/callers'
import { explain, recordStatements } from '@quittance/testing/record-statements'
import { expect, test } from 'vitest'
import { startInvoices, type TestInvoices } from './start-invoices.ts'

/** Creates a series of documents, without triggers; `condition` selects positions `n` up to its last number. Returns its seller. */
async function fillSeries(invoices: TestInvoices, last: number, condition = 'true'): Promise<Caller> {
  const organizationId = randomUUID()
  await invoices.rows(`do $do$ begin set local session_replication_role = replica;
    insert into document_series values ('${organizationId}', 'invoice', 'A-', 4, ${last});
    insert into invoices (id, created_at, organization_id, order_id, series, position, number, status, source, requested_at, generated_at)
      select gen_random_uuid(), now(), '${organizationId}', gen_random_uuid(), 'A-', n, 'A-' || lpad(n::text, 4, '0'), 'generated', '{}', now(), now()
      from generate_series(1, ${last}) n where ${condition};
  end $do$`)
  await invoices.rows('analyze invoices')
  return organizationCaller(organizationId)
}

test('names the first 100 missing numbers of a series, in order, also those after its last document', async () => {
  await using invoices = await startInvoices()
  const seller = await fillSeries(invoices, 3000, 'n not in (2, 5, 6) and n <= 2998')
  const list = async () => (await invoices.call(listInvoiceSeries, {}, seller)).items
  const found = { first: 'A-0001', last: 'A-2998', count: 2995 }
  expect(await list()).toMatchObject([{ ...found, missing: [2, 5, 6, 2999, 3000].map((number) => `A-${String(number).padStart(4, '0')}`) }])
  // Far from any document: no row is read for each of them.
  await invoices.rows(
    'do $do$ begin set local session_replication_role = replica; update document_series set last_number = 9000000000000; end $do$',
  )
  const [{ missing } = { missing: [] }] = await list()
  expect([missing.length, missing[2], missing[3], missing[99]]).toEqual([100, 'A-0006', 'A-2999', 'A-3095'])
})

test('a series is searched for missing numbers without a search for each number', async () => {
  using statements = recordStatements()
  await using invoices = await startInvoices()
  const seller = await fillSeries(invoices, 5000)
  const whole = { first: 'A-0001', last: 'A-5000', count: 5000, missing: [] }
  expect((await invoices.call(listInvoiceSeries, {}, seller)).items).toMatchObject([whole])
  const plan = await explain(invoices, statements.findWithValues('document_series s', 'as missing'), 'analyze, costs off, timing off')
  expect(plan).not.toMatch(/loops=\d{2,}/)
  expect(plan).toMatch(/Function Scan on generate_series n \(never executed\)/)
})
