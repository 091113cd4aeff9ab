import { randomUUID } from 'node:crypto'
import { RequestValidationError } from '@quittance/contracts/errors'
import { getInvoiceSettings, updateInvoiceSettings } from '@quittance/contracts/invoice-settings'
import { getInvoice } from '@quittance/contracts/invoices'
import { verificationPath, verifyInvoice } from '@quittance/contracts/invoice-verification'
import { organizationCaller, userCaller } from '@quittance/testing/callers'
import { expect, test } from 'vitest'
import { anInvoiceSource } from './invoice-source.ts'
import { keepBrowser, startInvoices } from './start-invoices.ts'

keepBrowser()

const anonymous = { kind: 'anonymous' } as const
const pixel = 'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

test('applies seller data and number format to later documents and keeps issued ones [35]', async () => {
  await using invoices = await startInvoices()
  const first = anInvoiceSource()
  const seller = organizationCaller(first.organization.id)
  const defaults = await invoices.call(getInvoiceSettings, {}, seller)
  expect(defaults).toMatchObject({ organization_id: first.organization.id, legal_name: null, invoice_prefix: null, padding: 4 })
  await invoices.requestInvoice(first)
  const { id } = await invoices.waitForStatus(first, 'generated')
  const identity = {
    legal_name: 'Northwind Analytics GmbH',
    address: { country: 'de', city: 'Berlin', postal_code: '10117' },
    tax_id: 'DE136695976',
  }
  const looks = { logo: pixel, footer: 'Thank you.\nIBAN DE00', locale: 'de-ch', paper: 'a4' as const }
  const changed = await invoices.call(updateInvoiceSettings, { ...identity, ...looks, invoice_prefix: 'NWA', yearly: true }, seller)
  expect(changed).toMatchObject({ ...identity, address: { country: 'DE' }, locale: 'de-CH', invoice_prefix: 'NWA', yearly: true })
  expect(await invoices.call(getInvoiceSettings, {}, seller)).toEqual(changed)
  const second = { ...anInvoiceSource(), organization: first.organization }
  // The year may change in between.
  const before = new Date().getUTCFullYear()
  await invoices.requestInvoice(second)
  const { number } = await invoices.waitForStatus(second, 'generated')
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

test('creates settings once for concurrent requests and rejects none of them', async () => {
  await using invoices = await startInvoices()
  const seller = organizationCaller(randomUUID())
  await Promise.all(Array.from({ length: 10 }, (_, index) => invoices.call(updateInvoiceSettings, { legal_name: `Name ${index}` }, seller)))
  expect(await invoices.rows('select from invoice_settings')).toHaveLength(1)
})

test.each([
  ['a prefix in lower case', { invoice_prefix: 'acme' }, 'invoice_prefix'],
  ['a number of more than sixteen characters', { invoice_prefix: 'ACME-BOOKS', yearly: true }, 'invoice_prefix'],
  ['the derived prefix of credit notes', { invoice_prefix: 'CN-NORTHWIN' }, 'invoice_prefix'],
  ['a bare CN', { invoice_prefix: 'CN' }, 'invoice_prefix'],
  ['a prefix of further series of credit notes', { invoice_prefix: 'CN2-NORTHWI' }, 'invoice_prefix'],
  ['prefixes that a year makes equal', { invoice_prefix: 'ACME', credit_note_prefix: 'ACME-2026' }, 'credit_note_prefix'],
  ['one prefix for both kinds', { invoice_prefix: 'ACME', credit_note_prefix: 'ACME' }, 'credit_note_prefix'],
  ['a logo that is not an image', { logo: 'data:text/html;base64,PGI+' }, 'logo'],
  ['a logo with a remote URL', { logo: 'https://example.com/logo.png' }, 'logo'],
  ['an invalid language tag', { locale: 'nonsense_tag!' }, 'locale'],
  ['a footer that is too long', { footer: 'x'.repeat(1001) }, 'footer'],
])('rejects %s naming the field, and changes nothing', async (_, wrong, field) => {
  await using invoices = await startInvoices()
  const seller = organizationCaller(randomUUID())
  const update = invoices.call(updateInvoiceSettings, wrong as never, seller)
  await expect(update).rejects.toThrow(RequestValidationError)
  await expect(update).rejects.toThrow(new RegExp(`${field}: `))
  expect(await invoices.rows('select from invoice_settings')).toHaveLength(0)
})

test('rejects a prefix that documents of the other kind have ever used', async () => {
  await using invoices = await startInvoices()
  const source = anInvoiceSource()
  const seller = organizationCaller(source.organization.id)
  await invoices.requestInvoice(source)
  await invoices.waitForStatus(source, 'generated')
  await invoices.call(updateInvoiceSettings, { invoice_prefix: 'NEW' }, seller)
  const taken = invoices.call(updateInvoiceSettings, { credit_note_prefix: 'NORTHWIND' }, seller)
  await expect(taken).rejects.toThrow(/credit_note_prefix/)
})

test('accepts only organizations of the user', async () => {
  await using invoices = await startInvoices()
  const [own, other] = [randomUUID(), randomUUID()]
  const person = userCaller({ userId: randomUUID(), organizationIds: [own] })
  expect(await invoices.call(getInvoiceSettings, { organization_id: own }, person)).toMatchObject({ organization_id: own })
  for (const operation of [getInvoiceSettings, updateInvoiceSettings]) {
    await expect(invoices.call(operation, { organization_id: other }, person)).rejects.toThrow(RequestValidationError)
  }
})

test('verifies a document by number with its hash or the id of its QR code, and by nothing less', async () => {
  await using invoices = await startInvoices()
  const source = anInvoiceSource()
  await invoices.requestInvoice(source)
  const { id, number } = await invoices.waitForStatus(source, 'generated')
  const { sha256 } = await invoices.call(getInvoice, { id }, organizationCaller(source.organization.id))
  const verify = (request: object) => invoices.call(verifyInvoice, { number, ...request }, anonymous)
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
  expect(new URL(printed).pathname).toBe(verificationPath({ number, id }))
  expect(await verify({ id })).toMatchObject(known)
  expect(await verify({ id, sha256 })).toMatchObject(known)
  expect(await verify({ sha256: 'a'.repeat(64) })).toMatchObject({ valid: false, sha256: null, invoice_number: null })
  expect(await verify({ id: randomUUID() })).toMatchObject({ valid: false })
  expect(await verify({ id, sha256: 'a'.repeat(64) })).toMatchObject({ valid: false })
  expect(await verify({ number: 'OTHER-0001', id })).toMatchObject({ valid: false })
  await expect(verify({})).rejects.toThrow(RequestValidationError)
})

test('keeps a prefix of an earlier release while other settings change', async () => {
  await using invoices = await startInvoices()
  const seller = organizationCaller(randomUUID())
  await invoices.call(updateInvoiceSettings, { invoice_prefix: 'ACME' }, seller)
  await invoices.rows(`update invoice_settings set invoice_prefix = 'CN-ACME'`)
  const kept = { invoice_prefix: 'CN-ACME', credit_note_prefix: 'GS', footer: 'Thanks' }
  expect(await invoices.call(updateInvoiceSettings, kept, seller)).toMatchObject(kept)
})
