import { randomUUID } from 'node:crypto'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { anInvoiceSource } from './invoice-source.ts'
import { startInvoices, type InvoiceRow } from './start-invoices.ts'

const numbersOf = 'select number from invoices where organization_id = $1 order by number'

test('invoices asked for at once are numbered without a gap, each organization by itself (checklist 37, 38)', async () => {
  await using invoices = await startInvoices()
  const sellers = [
    { id: randomUUID(), name: 'Acme', slug: 'acme' },
    { id: randomUUID(), name: 'Globex', slug: 'globex' },
  ] as const
  const sources = Array.from({ length: 30 }, (_, index) => ({ ...anInvoiceSource(), organization: sellers[index % 3 === 0 ? 1 : 0] }))
  await Promise.all(sources.map((source) => invoices.ask(source)))
  for (const source of sources) await invoices.untilStatus(source, 'generated')
  const numbers = async (id: string) => (await invoices.rows<{ number: string }>(numbersOf, [id])).map(({ number }) => number)
  expect(await numbers(sellers[0].id)).toEqual(Array.from({ length: 20 }, (_, index) => `ACME-${String(index + 1).padStart(4, '0')}`))
  expect(await numbers(sellers[1].id)).toEqual(Array.from({ length: 10 }, (_, index) => `GLOBEX-${String(index + 1).padStart(4, '0')}`))
})

test('the same request delivered twice, and asked twice, is one invoice with one number (checklist 8)', async () => {
  await using invoices = await startInvoices()
  const source = anInvoiceSource()
  const id = randomUUID()
  await invoices.ask(source, id)
  await invoices.ask(source, id)
  await invoices.ask(source)
  await invoices.untilStatus(source, 'generated')
  const next = { ...anInvoiceSource(), organization: source.organization }
  await invoices.ask(next)
  expect(await invoices.untilStatus(next, 'generated')).toMatchObject({ number: 'NORTHWIND-0002' })
  expect(await invoices.rows('select from invoices')).toHaveLength(2)
  await eventually(() => expect(invoices.said.filter(({ subject }) => subject === 'event.invoice.generated')).toHaveLength(2))
})

test('a series keeps the prefix of its first invoice', async () => {
  await using invoices = await startInvoices()
  const first = anInvoiceSource()
  const renamed = { ...anInvoiceSource(), organization: { ...first.organization, slug: 'another-name' } }
  await invoices.ask(first)
  await invoices.untilStatus(first, 'generated')
  await invoices.ask(renamed)
  expect(await invoices.untilStatus(renamed, 'generated')).toMatchObject({ number: 'NORTHWIND-0002' } satisfies Partial<InvoiceRow>)
})

test('a request that fails in the middle gives its number back (checklist 41)', async () => {
  await using invoices = await startInvoices()
  // A sequence is not rolled back, so it tells of the try that was.
  await invoices.rows(`create sequence failures`)
  await invoices.rows(`create function fail() returns trigger language plpgsql as $$ begin
    raise exception 'failure %', nextval('failures'); end $$`)
  await invoices.rows(`create trigger fail before insert on invoices for each row execute function fail()`)
  const source = anInvoiceSource()
  await invoices.ask(source)
  await eventually(async () => expect(await invoices.rows('select from failures where is_called')).toHaveLength(1))
  await invoices.rows('drop trigger fail on invoices')
  expect(await invoices.untilStatus(source, 'generated')).toMatchObject({ number: 'NORTHWIND-0001' })
})
