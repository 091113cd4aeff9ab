import { randomUUID } from 'node:crypto'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { anInvoiceSource } from './invoice-source.ts'
import { keepBrowser, startInvoices, type InvoiceRow } from './start-invoices.ts'

keepBrowser()

const numbersOf = 'select number from invoices where organization_id = $1 order by number'

test('numbers concurrently requested invoices without gaps, separately per organization [37, 38]', async () => {
  await using invoices = await startInvoices()
  const sellers = [
    { id: randomUUID(), name: 'Acme', slug: 'acme' },
    { id: randomUUID(), name: 'Globex', slug: 'globex' },
  ] as const
  const sources = Array.from({ length: 30 }, (_, index) => ({ ...anInvoiceSource(), organization: sellers[index % 3 === 0 ? 1 : 0] }))
  await Promise.all(sources.map((source) => invoices.requestInvoice(source)))
  for (const source of sources) await invoices.waitForStatus(source, 'generated')
  const numbers = async (id: string) => (await invoices.rows<{ number: string }>(numbersOf, [id])).map(({ number }) => number)
  expect(await numbers(sellers[0].id)).toEqual(Array.from({ length: 20 }, (_, index) => `ACME-${String(index + 1).padStart(4, '0')}`))
  expect(await numbers(sellers[1].id)).toEqual(Array.from({ length: 10 }, (_, index) => `GLOBEX-${String(index + 1).padStart(4, '0')}`))
})

test('issues one invoice with one number for a duplicate event and a repeated request [8]', async () => {
  await using invoices = await startInvoices()
  const source = anInvoiceSource()
  const id = randomUUID()
  await invoices.requestInvoice(source, id)
  await invoices.requestInvoice(source, id)
  await invoices.requestInvoice(source)
  await invoices.waitForStatus(source, 'generated')
  const next = { ...anInvoiceSource(), organization: source.organization }
  await invoices.requestInvoice(next)
  expect(await invoices.waitForStatus(next, 'generated')).toMatchObject({ number: 'NORTHWIND-0002' })
  expect(await invoices.rows('select from invoices')).toHaveLength(2)
  await eventually(() => expect(invoices.publishedEvents.filter(({ subject }) => subject === 'event.invoice.generated')).toHaveLength(2))
})

test('keeps the prefix of the first invoice of a series', async () => {
  await using invoices = await startInvoices()
  const first = anInvoiceSource()
  const renamed = { ...anInvoiceSource(), organization: { ...first.organization, slug: 'another-name' } }
  await invoices.requestInvoice(first)
  await invoices.waitForStatus(first, 'generated')
  await invoices.requestInvoice(renamed)
  expect(await invoices.waitForStatus(renamed, 'generated')).toMatchObject({ number: 'NORTHWIND-0002' } satisfies Partial<InvoiceRow>)
})

test('releases the number of a request whose transaction fails [41]', async () => {
  await using invoices = await startInvoices()
  // A sequence is not rolled back, so it proves that the attempt took place.
  await invoices.rows(`create sequence failures`)
  await invoices.rows(`grant usage on sequence failures to public`)
  await invoices.rows(`create function fail() returns trigger language plpgsql as $$ begin
    raise exception 'failure %', nextval('failures'); end $$`)
  await invoices.rows(`create trigger fail before insert on invoices for each row execute function fail()`)
  const source = anInvoiceSource()
  await invoices.requestInvoice(source)
  await eventually(async () => expect(await invoices.rows('select from failures where is_called')).toHaveLength(1))
  await invoices.rows('drop trigger fail on invoices')
  expect(await invoices.waitForStatus(source, 'generated')).toMatchObject({ number: 'NORTHWIND-0001' })
})
