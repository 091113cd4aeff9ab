import { randomUUID } from 'node:crypto'
import { createSystemSql } from '@quittance/sql/sql-runner'
import type { Execute, View } from '@quittance/sql/view'
import { createViewReader } from '@quittance/sql/view-reader'
import { organizationCaller } from '@quittance/testing/callers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildDocumentSort } from '../src/invoices/invoice-queries.ts'
import { creditNoteView, invoiceView } from '../src/invoices/invoice-view.ts'
import { verifyInvoice } from '../src/invoices/verify-invoice.ts'
import { startInvoices, type TestInvoices } from './start-invoices.ts'

let invoices: TestInvoices
let organizationId: string

/** 200 sellers with 100 documents each. All sellers have the same numbers. */
const fill = [
  ...['document_series', 'invoices', 'invoice_documents'].map((table) => `alter table ${table} disable trigger user`),
  `insert into document_series select gen_random_uuid(), 'invoice', 'A-', 4, 100 from generate_series(1, 200)`,
  `insert into invoices (id, created_at, organization_id, order_id, series, position, number, status, source, requested_at, generated_at)
    select gen_random_uuid(), now(), s.organization_id, gen_random_uuid(), 'A-', n, 'A-' || n, 'generated', '{"currency": "usd"}', now(), now()
    from document_series s, generate_series(1, 100) n`,
  `insert into invoice_documents select id, id::text::bytea, encode(sha256(id::text::bytea), 'hex'), 36, now() from invoices`,
  ...['document_series', 'invoices', 'invoice_documents'].map((table) => `alter table ${table} enable trigger user`),
  'analyze invoices',
  'analyze invoice_documents',
]

beforeAll(async () => {
  invoices = await startInvoices()
  for (const sql of fill) await invoices.rows(sql)
  const [seller] = await invoices.rows<{ organization_id: string }>('select organization_id from document_series limit 1')
  organizationId = seller?.organization_id ?? ''
})
afterAll(() => invoices[Symbol.asyncDispose]())

interface Explained {
  'QUERY PLAN': [{ Plan: { 'Shared Hit Blocks': number; 'Shared Read Blocks': number } }]
}

/** Returns how many blocks the statements of `work` read, each run with the plan that PostgreSQL chooses for its values. */
async function countBlocks(work: (execute: Execute) => Promise<unknown>): Promise<number> {
  let blocks = 0
  await work(async ({ text }, values) => {
    const [explained] = await invoices.rows<Explained & Record<string, unknown>>(`explain (analyze, buffers, format json) ${text}`, values)
    const { Plan: plan } = (explained as Explained)['QUERY PLAN'][0]
    blocks += plan['Shared Hit Blocks'] + plan['Shared Read Blocks']
    return invoices.rows(text, values)
  })
  return blocks
}

interface ListedPage {
  seller: string
  view: View<unknown>
  sorting: string
  limit: number
}

const readPage = ({ seller, view, sorting, limit }: ListedPage) =>
  countBlocks((execute) =>
    createViewReader(organizationCaller(seller), execute).page(view, {
      where: 'true',
      orderBy: buildDocumentSort([sorting]),
      page: 1,
      limit,
    }),
  )

test('reads a fixed number of blocks per invoice of a list, however many documents there are', async () => {
  const page = { seller: organizationId, view: invoiceView, sorting: '-issued_at' }
  const [short, long] = [await readPage({ ...page, limit: 10 }), await readPage({ ...page, limit: 50 })]
  expect(long - short).toBeLessThan(40 * 30)
})

const creditingSeller = randomUUID()

/** A seller with 10,000 invoices, whose numbers come before those of its 1,000 credit notes. */
const fillCreditNotes = [
  ...['document_series', 'invoices'].map((table) => `alter table ${table} disable trigger all`),
  `insert into document_series select '${creditingSeller}', kind, prefix, 4, 10000
    from (values ('invoice', 'B-'), ('credit_note', 'C-')) series (kind, prefix)`,
  `insert into invoices (id, created_at, organization_id, order_id, kind, series, position, number, status, source, requested_at, generated_at, corrects_id)
    select gen_random_uuid(), now(), s.organization_id, gen_random_uuid(), s.kind, s.prefix, n, s.prefix || n, 'generated', '{}', now(), now(),
      case s.kind when 'credit_note' then gen_random_uuid() end
    from document_series s, generate_series(1, case s.kind when 'invoice' then 10000 else 1000 end) n where s.organization_id = '${creditingSeller}'`,
  ...['document_series', 'invoices'].map((table) => `alter table ${table} enable trigger all`),
  'vacuum analyze invoices',
]

test('lists credit notes by number without reading the invoices', async () => {
  for (const sql of fillCreditNotes) await invoices.rows(sql)
  const blocks = await readPage({ seller: creditingSeller, view: creditNoteView, sorting: 'invoice_number', limit: 10 })
  expect(blocks).toBeLessThan(250)
})

const countBlocksOfVerification = (request: object, reply: object) =>
  countBlocks(async (execute) => {
    const systemSql = createSystemSql({ execute }, 'explains a statement')
    if (verifyInvoice.kind !== 'query') throw new Error('Verification is not a query')
    expect(await verifyInvoice.run(request as never, { systemSql } as never)).toMatchObject(reply)
  })

test('verifies a document without reading the documents of other sellers', async () => {
  const [{ id, number, sha256 } = { id: '', number: '', sha256: '' }] = await invoices.rows<{ id: string; number: string; sha256: string }>(
    'select i.id, i.number, d.sha256 from invoices i join invoice_documents d on d.invoice_id = i.id order by i.id limit 1',
  )
  expect(await countBlocksOfVerification({ number, sha256 }, { valid: true, sha256 })).toBeLessThan(20)
  expect(await countBlocksOfVerification({ number, id }, { valid: true, sha256 })).toBeLessThan(20)
  expect(await countBlocksOfVerification({ number, sha256: 'a'.repeat(64) }, { valid: false })).toBeLessThan(20)
})

/** Inserts a credit note and returns how many rows sequential scans have read for it. Rolls back. */
const measureCreditNote = `
  create function rows_of_credit_note(seller uuid) returns bigint language plpgsql as $test$
  declare before bigint; after bigint; corrected invoices; begin
    select * into corrected from invoices where organization_id = seller limit 1;
    begin
      select seq_tup_read into before from pg_stat_xact_user_tables where relname = 'invoices';
      insert into invoices (id, created_at, organization_id, order_id, series, position, number, status, source, requested_at, next_attempt_at, kind, corrects_id)
        values (gen_random_uuid(), now(), seller, corrected.order_id, 'A-', 101, 'A-101', 'requested', '{}', now(), now(), 'credit_note', corrected.id);
      select seq_tup_read into after from pg_stat_xact_user_tables where relname = 'invoices';
      raise exception '%', after - before;
    exception when raise_exception then return sqlerrm::bigint; end; end $test$`

test('compares a credit note with the others of its invoice only', async () => {
  await invoices.rows(measureCreditNote)
  const [{ count } = { count: '' }] = await invoices.rows<{ count: string }>('select rows_of_credit_note($1) as count', [organizationId])
  expect(Number(count)).toBe(0)
})
