import { randomUUID } from 'node:crypto'
import { ResourceNotFound } from '@quittance/contracts/errors'
import { auditInvoiceSeries } from '@quittance/contracts/invoice-audit'
import type { InvoiceSource } from '@quittance/contracts/invoice-source'
import { bindValues, statement } from '@quittance/sql/statement'
import { database } from '../src/database.ts'
import { migrateDatabase } from '@quittance/runtime/database'
import { organizationCaller } from '@quittance/testing/callers'
import { connectTo, definitionBefore } from '@quittance/testing/database'
import { expect, test } from 'vitest'
import { verifyChains, type SqlExecutor, type ChainFault, type ChainHead } from '../src/permanence/verify-chains.ts'
import { anInvoiceSource } from './invoice-source.ts'
import { keepBrowser, startInvoices, type TestInvoices } from './start-invoices.ts'

keepBrowser()

/** Issues invoices of one seller one after the other. */
async function issue(invoices: TestInvoices, count: number): Promise<InvoiceSource[]> {
  const first = anInvoiceSource()
  const sources = Array.from({ length: count }, () => ({ ...first, order_id: randomUUID() }))
  for (const source of sources) {
    await invoices.requestInvoice(source)
    await invoices.waitForStatus(source, 'generated')
  }
  return sources
}

async function walk(invoices: Pick<TestInvoices, 'rows'>): Promise<{ faults: string[]; all: ChainFault[]; heads: ChainHead[] }> {
  const all: ChainFault[] = []
  const heads: ChainHead[] = []
  const execute: SqlExecutor = (name, sql, values) => {
    const query = statement(name, sql)
    return invoices.rows(query.text, bindValues(query, values)) as never
  }
  await verifyChains(execute, { organizationId: null, report: { fault: (found) => all.push(found), head: (head) => heads.push(head) } })
  return { faults: all.map(({ chain, number, fault }) => `${chain} ${number}: ${fault}`), all, heads }
}

/** Executes statements as a superuser who disables the triggers. */
const withoutTriggers = (invoices: TestInvoices, ...statements: string[]) =>
  invoices.rows(`do $do$ begin set local session_replication_role = replica; ${statements.join('; ')}; end $do$`)

test('verifies the chains of issued and of stored documents, with a head for each', async () => {
  await using invoices = await startInvoices()
  await issue(invoices, 3)
  const { faults, heads } = await walk(invoices)
  expect(faults).toEqual([])
  expect(heads).toMatchObject([
    { chain: 'issued', links: 3, number: 'NORTHWIND-0003', digest: expect.stringMatching(/^[0-9a-f]{64}$/) as string },
    { chain: 'stored', links: 3, digest: expect.stringMatching(/^[0-9a-f]{64}$/) as string },
  ])
})

test('reports a changed byte, hash, number or content and a removed row', async () => {
  await using invoices = await startInvoices()
  await issue(invoices, 6)
  const of = (figure: number) => `(select id from invoices where position = ${figure})`
  await withoutTriggers(
    invoices,
    `alter table invoice_documents drop constraint invoice_documents_hash_of_content`,
    `update invoice_documents set content = set_byte(content, 100, 255 - get_byte(content, 100)) where invoice_id = ${of(1)}`,
    // An attacker who rewrites a document would also rewrite its hash.
    `update invoice_documents set content = set_byte(content, 100, 255 - get_byte(content, 100)), sha256 = encode(sha256(set_byte(content, 100, 0)), 'hex')
       where invoice_id = ${of(2)}`,
    `update invoices set number = 'NORTHWIND-0099' where position = 3`,
    `update invoices set printed = jsonb_set(printed, '{total}', '1') where position = 4`,
    `delete from invoice_documents where invoice_id = ${of(5)}`,
    `delete from invoices where position = 5`,
  )
  const { faults } = await walk(invoices)
  expect(faults).toEqual([
    'issued NORTHWIND-0003: changed number',
    'issued NORTHWIND-0004: changed contents',
    'issued NORTHWIND-0005: missing document',
    'stored NORTHWIND-0001: changed bytes',
    'stored NORTHWIND-0002: changed bytes',
    'stored NORTHWIND-0003: changed number',
    'stored NORTHWIND-0005: missing document',
  ])
})

test('reports a missing link in the middle and at the end, and a changed link', async () => {
  await using invoices = await startInvoices()
  await issue(invoices, 5)
  await withoutTriggers(
    invoices,
    `alter table document_links drop constraint document_links_digest_of_content`,
    `delete from document_links where chain = 'issued' and position in (2, 5)`,
    `update document_links set content = repeat('0', 64) where chain = 'stored' and position = 4`,
  )
  const { faults } = await walk(invoices)
  expect(faults).toEqual([
    'issued NORTHWIND-0003: missing link',
    'issued NORTHWIND-0004: missing link',
    'issued NORTHWIND-0002: not linked',
    'issued NORTHWIND-0005: not linked',
    'stored NORTHWIND-0004: changed link',
    'stored NORTHWIND-0004: changed bytes',
  ])
})

test('audits both chains of a series from any position, for its seller only', async () => {
  await using invoices = await startInvoices()
  const [{ organization }] = (await issue(invoices, 3)) as [InvoiceSource]
  const seller = organizationCaller(organization.id)
  const { heads } = await walk(invoices)
  for (const [index, chain] of (['issued', 'stored'] as const).entries()) {
    const audit = await invoices.call(auditInvoiceSeries, { prefix: 'NORTHWIND-', chain }, seller)
    expect(audit).toMatchObject({ organization_id: organization.id, chain, links: 3, faults: [], head: heads[index]?.digest, next: null })
  }
  await withoutTriggers(invoices, `update invoices set number = 'NORTHWIND-0099' where position = 3`)
  const rest = await invoices.call(auditInvoiceSeries, { prefix: 'NORTHWIND-', after: '2' }, seller)
  expect(rest).toMatchObject({ links: 1, faults: [{ invoice_number: 'NORTHWIND-0003', fault: 'changed number' }] })
  for (const [prefix, caller] of [
    ['OTHER-', seller],
    ['NORTHWIND-', organizationCaller(randomUUID())],
  ] as const)
    await expect(invoices.call(auditInvoiceSeries, { prefix }, caller)).rejects.toThrow(ResourceNotFound)
})

test('accepts chains with skipped numbers', async () => {
  await using invoices = await startInvoices()
  const [first] = (await issue(invoices, 1)) as [InvoiceSource]
  await invoices.rows('update document_series set last_number = last_number + 1')
  const next = { ...first, order_id: randomUUID() }
  await invoices.requestInvoice(next)
  expect(await invoices.waitForStatus(next, 'generated')).toMatchObject({ number: 'NORTHWIND-0003' })
  expect((await walk(invoices)).faults).toEqual([])
})

test('links documents issued and stored before the migration', async () => {
  await using invoices = await startInvoices()
  await issue(invoices, 3)
  const { heads } = await walk(invoices)
  const name = `before_${randomUUID().replaceAll('-', '')}`
  await invoices.rows(`create database ${name}`)
  const url = Object.assign(new URL(invoices.databaseUrl as string), { pathname: `/${name}` }).href
  await migrateDatabase(definitionBefore(database, '-chain-documents'), { url })
  const copy = await connectTo(url)
  try {
    for (const table of ['document_series', 'invoices', 'invoice_documents']) {
      const rows = await invoices.rows<{ row: unknown }>(`select to_jsonb(t) as row from ${table} t order by 1`)
      const generated = table === 'invoices' ? `- 'customer_id'` : ''
      const columns = (
        await copy.query(
          `select string_agg(quote_ident(attname), ', ') as list from pg_attribute
         where attrelid = $1::regclass and attnum > 0 and attgenerated = '' and not attisdropped`,
          [table],
        )
      ).rows[0].list as string
      const insert = `insert into ${table} (${columns}) select ${columns} from jsonb_populate_record(null::${table}, $1::jsonb ${generated})`
      await copy.query('set session_replication_role = replica')
      for (const { row } of rows) await copy.query(insert, [JSON.stringify(row)])
      await copy.query('set session_replication_role = origin')
    }
    await migrateDatabase(database, { url })
    const walked = await walk({ rows: async (sql, values) => (await copy.query(sql, values)).rows })
    expect(walked.faults).toEqual([])
    expect(walked.heads).toEqual(heads)
  } finally {
    await copy.end()
    await invoices.rows(`drop database ${name} with (force)`)
  }
})
