import { migrateDatabase } from '@quittance/runtime/database'
import { createLogger } from '@quittance/runtime/logger'
import { listenForNotifications } from '@quittance/runtime/internal/jobs/notification-listener'
import { connectTo } from '@quittance/testing/database'
import { expect, test } from 'vitest'
import { database } from '../src/database.ts'
import { anInvoiceSource } from './invoice-source.ts'
import { keepBrowser, startInvoices, type TestInvoices } from './start-invoices.ts'

keepBrowser()

const forbiddenStatements = [
  `alter table invoice_documents disable trigger user`,
  `alter table invoice_documents disable trigger all`,
  `alter table invoices disable trigger user`,
  `drop trigger invoice_documents_permanent on invoice_documents`,
  `set session_replication_role = replica`,
  `update invoice_documents set content = '\\x00', size = 1, sha256 = encode(sha256('\\x00'), 'hex')`,
  `update invoice_documents set created_at = now()`,
  `delete from invoice_documents`,
  `truncate invoice_documents`,
  `update invoices set number = 'NORTHWIND-0009'`,
  `update invoices set printed = '{}'`,
  `update invoices set source = '{}'`,
  `delete from invoices`,
  `truncate invoices cascade`,
  `update document_series set prefix = 'OTHER-'`,
  `delete from document_series`,
  `insert into document_links select * from document_links`,
  `update document_links set content = repeat('0', 64)`,
  `delete from document_links`,
  `truncate document_links`,
  `select append_document_link('issued', i, 7, repeat('0', 64)) from invoices i`,
  `create or replace function refuse_change() returns trigger language plpgsql as $$ begin return new; end $$`,
  `create table mine (id integer)`,
  `create temporary table mine (id integer)`,
  `create schema mine`,
  `select lo_creat(-1)`,
  `select lo_create(0)`,
  `select lo_from_bytea(0, '\\x00')`,
  `select lo_import('/etc/hostname')`,
  `drop table invoices`,
  `alter table invoices add column mine text`,
  `delete from migrations`,
  `insert into migrations (name) values ('mine')`,
  `set role test_migrator`,
  `alter role test_runtime superuser`,
  `copy invoices to program 'cat'`,
]

type Client = Awaited<ReturnType<typeof connectTo>>

async function asRuntime<T>(invoices: TestInvoices, work: (client: Client) => Promise<T>): Promise<T> {
  const client = await connectTo(invoices.config.DATABASE_URL as string)
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

const getErrorCode = (client: Client, sql: string) =>
  client.query(sql).then(
    () => null,
    (error: { code?: string }) => error.code,
  )

test('denies the runtime role every change of issued documents, the schema and its own rights', async () => {
  await using invoices = await startInvoices()
  const source = anInvoiceSource()
  await invoices.requestInvoice(source)
  await invoices.waitForStatus(source, 'generated')
  await asRuntime(invoices, async (client) => {
    // The role does not own the tables, so the statement grants nothing; PostgreSQL only warns.
    await client.query('grant delete, truncate on invoices, invoice_documents to test_runtime')
    for (const sql of forbiddenStatements) expect([sql, await getErrorCode(client, sql)]).toEqual([sql, '42501'])
  })
})

test('grants rights again after a migration, including new tables, and revokes additional ones', async () => {
  await using invoices = await startInvoices()
  await invoices.rows(`grant update, delete, truncate on invoice_documents to test_runtime`)
  await invoices.rows(`set role test_migrator; create table later (id integer); create sequence later_ids`)
  const url = Object.assign(new URL(invoices.databaseUrl as string), { username: 'test_migrator', password: 'test_migrator' }).href
  await migrateDatabase(database, { url, runtimeRole: 'test_runtime' })
  await migrateDatabase(database, { url, runtimeRole: 'test_runtime' })
  await asRuntime(invoices, async (client) => {
    await client.query(`insert into later values (nextval('later_ids'))`)
    await client.query(`delete from later`)
    for (const sql of ['delete from invoice_documents', 'truncate invoice_documents', 'truncate later', 'drop table later'])
      expect([sql, await getErrorCode(client, sql)]).toEqual([sql, '42501'])
  })
})

test('rejects a runtime role that can act as the migrator', async () => {
  await using invoices = await startInvoices()
  const url = Object.assign(new URL(invoices.databaseUrl as string), { username: 'test_migrator', password: 'test_migrator' }).href
  await expect(migrateDatabase(database, { url, runtimeRole: 'postgres' })).rejects.toThrow('superuser')
  await expect(migrateDatabase(database, { url, runtimeRole: 'nobody_at_all' })).rejects.toThrow('does not exist')
})

test('allows the runtime role to listen, to be notified and to take advisory locks', async () => {
  await using invoices = await startInvoices()
  const wakeUps = await listenForNotifications(invoices.config.DATABASE_URL as string, createLogger('invoices', 'silent'))
  try {
    const woken = new Promise<void>((resolve) => wakeUps.on('test', resolve))
    await asRuntime(invoices, (client) => client.query(`select pg_notify('wake', 'test'), pg_advisory_lock(1), pg_advisory_unlock(1)`))
    await woken
  } finally {
    await wakeUps.close()
  }
})
