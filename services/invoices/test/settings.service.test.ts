import { randomUUID } from 'node:crypto'
import { RequestValidationError } from '@quittance/contracts/errors'
import { getInvoiceSettings, updateInvoiceSettings } from '@quittance/contracts/invoice-settings'
import { getInvoice, verifyInvoice } from '@quittance/contracts/invoices'
import { organizationCaller, userCaller } from '@quittance/testing/callers'
import { expect, test } from 'vitest'
import { anInvoiceSource } from './invoice-source.ts'
import { startInvoices } from './start-invoices.ts'

const nobody = { kind: 'anonymous' } as const
const pixel = 'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

test('a seller says who they are and how their documents are numbered; what was issued before keeps what it was issued with (checklist 35)', async () => {
  await using invoices = await startInvoices()
  const first = anInvoiceSource()
  const seller = organizationCaller(first.organization.id)
  const unsaid = await invoices.call(getInvoiceSettings, {}, seller)
  expect(unsaid).toMatchObject({ organization_id: first.organization.id, legal_name: null, invoice_prefix: null, padding: 4 })
  await invoices.ask(first)
  const { id } = await invoices.untilStatus(first, 'generated')
  const said = {
    legal_name: 'Northwind Analytics GmbH',
    address: { country: 'de', city: 'Berlin', postal_code: '10117' },
    tax_id: 'DE136695976',
  }
  const looks = { logo: pixel, footer: 'Thank you.\nIBAN DE00', locale: 'de-ch', paper: 'a4' as const }
  const changed = await invoices.call(updateInvoiceSettings, { ...said, ...looks, invoice_prefix: 'NWA', yearly: true }, seller)
  expect(changed).toMatchObject({ ...said, address: { country: 'DE' }, locale: 'de-CH', invoice_prefix: 'NWA', yearly: true })
  expect(await invoices.call(getInvoiceSettings, {}, seller)).toEqual(changed)
  const second = { ...anInvoiceSource(), organization: first.organization }
  // A year may end in between.
  const before = new Date().getUTCFullYear()
  await invoices.ask(second)
  const { number } = await invoices.untilStatus(second, 'generated')
  expect([before, new Date().getUTCFullYear()].map((year) => `NWA-${year}-0001`)).toContain(number)
  const names = await invoices.rows(
    `select printed #>> '{seller,name}' as name, printed ->> 'locale' as locale from invoices order by requested_at`,
  )
  expect(names).toEqual([
    { name: 'Northwind Analytics', locale: 'en' },
    { name: 'Northwind Analytics GmbH', locale: 'de-CH' },
  ])
  expect(await invoices.call(getInvoice, { id }, seller)).toMatchObject({ invoice_number: 'NORTHWIND-0001' })
})

test('settings that many make at once are made once, and nobody is refused', async () => {
  await using invoices = await startInvoices()
  const seller = organizationCaller(randomUUID())
  await Promise.all(Array.from({ length: 10 }, (_, index) => invoices.call(updateInvoiceSettings, { legal_name: `Name ${index}` }, seller)))
  expect(await invoices.rows('select from invoice_settings')).toHaveLength(1)
})

test.each([
  ['a prefix in small letters', { invoice_prefix: 'acme' }, 'invoice_prefix'],
  ['a number of more than sixteen characters', { invoice_prefix: 'ACME-BOOKS', yearly: true }, 'invoice_prefix'],
  ['one prefix for both kinds', { invoice_prefix: 'ACME', credit_note_prefix: 'ACME' }, 'credit_note_prefix'],
  ['a logo that is no picture', { logo: 'data:text/html;base64,PGI+' }, 'logo'],
  ['a logo elsewhere', { logo: 'https://example.com/logo.png' }, 'logo'],
  ['a language tag that is none', { locale: 'nonsense_tag!' }, 'locale'],
  ['a footer that fills pages', { footer: 'x'.repeat(1001) }, 'footer'],
])('%s is refused by name, and changes nothing', async (_, wrong, field) => {
  await using invoices = await startInvoices()
  const seller = organizationCaller(randomUUID())
  const refused = invoices.call(updateInvoiceSettings, wrong as never, seller)
  await expect(refused).rejects.toThrow(RequestValidationError)
  await expect(refused).rejects.toThrow(new RegExp(`"${field}"`))
  expect(await invoices.rows('select from invoice_settings')).toHaveLength(0)
})

test('a prefix that documents of the other kind have is refused, also long after', async () => {
  await using invoices = await startInvoices()
  const source = anInvoiceSource()
  const seller = organizationCaller(source.organization.id)
  await invoices.ask(source)
  await invoices.untilStatus(source, 'generated')
  await invoices.call(updateInvoiceSettings, { invoice_prefix: 'NEW' }, seller)
  const taken = invoices.call(updateInvoiceSettings, { credit_note_prefix: 'NORTHWIND' }, seller)
  await expect(taken).rejects.toThrow(/"credit_note_prefix"/)
})

test('a person names one of their organizations, and no other', async () => {
  await using invoices = await startInvoices()
  const [own, other] = [randomUUID(), randomUUID()]
  const person = userCaller({ userId: randomUUID(), organizationIds: [own] })
  expect(await invoices.call(getInvoiceSettings, { organization_id: own }, person)).toMatchObject({ organization_id: own })
  for (const operation of [getInvoiceSettings, updateInvoiceSettings]) {
    await expect(invoices.call(operation, { organization_id: other }, person)).rejects.toThrow(RequestValidationError)
  }
})

test('a document is verified by its number with its hash or with the id of its QR code, and by nothing less', async () => {
  await using invoices = await startInvoices()
  const source = anInvoiceSource()
  await invoices.ask(source)
  const { id, number } = await invoices.untilStatus(source, 'generated')
  const { sha256 } = await invoices.call(getInvoice, { id }, organizationCaller(source.organization.id))
  const verify = (request: object) => invoices.call(verifyInvoice, { number, ...request }, nobody)
  const known = {
    valid: true,
    kind: 'invoice',
    invoice_number: number,
    seller_name: 'Northwind Analytics',
    total_amount: 193_614,
    currency: 'usd',
    sha256,
  }
  expect(await verify({ sha256 })).toMatchObject(known)
  const [{ printed } = { printed: '' }] = await invoices.rows<{ printed: string }>(
    `select printed ->> 'verifyUrl' as printed from invoices`,
  )
  expect(Object.fromEntries(new URL(printed).searchParams)).toEqual({ number, id })
  expect(await verify({ id })).toMatchObject(known)
  expect(await verify({ id, sha256 })).toMatchObject(known)
  expect(await verify({ sha256: 'a'.repeat(64) })).toMatchObject({ valid: false, sha256: null, invoice_number: null })
  expect(await verify({ id: randomUUID() })).toMatchObject({ valid: false })
  expect(await verify({ id, sha256: 'a'.repeat(64) })).toMatchObject({ valid: false })
  expect(await verify({ number: 'OTHER-0001', id })).toMatchObject({ valid: false })
  await expect(verify({})).rejects.toThrow(RequestValidationError)
})
