import { expect, test } from 'vitest'
import { AddressInput } from './address.ts'
import { countries } from './countries.ts'
import { updateInvoiceSettings } from './invoice-settings.ts'
import { correctInvoice } from './invoices.ts'
import { findMissingAddressParts } from './postal-codes.ts'
import { updateOrder } from './orders.ts'
import { withoutDirectionControls } from './printed-text.ts'
import { createTaxRate } from './taxes.ts'

const id = '0b8c2b4e-0f5e-4c5a-9d55-1f7f0c3e7a11'

test.each(['XX', 'UK', 'ZZ', 'EU', 'QQ', 'aa'])('no operation takes %s as a country [documents 5]', (country) => {
  const rate = { country: country.toUpperCase(), name: 'VAT', percentage: 1 }
  expect(AddressInput.safeParse({ country }).error?.issues).toMatchObject([{ path: ['country'] }])
  expect(createTaxRate.request.safeParse(rate).error?.issues).toMatchObject([{ path: ['country'] }])
  expect(updateOrder.request.safeParse({ id, billing_address: { country } }).success).toBe(false)
  expect(correctInvoice.request.safeParse({ id, billing_address: { country } }).success).toBe(false)
  expect(updateInvoiceSettings.request.safeParse({ address: { country } }).success).toBe(false)
})

test('takes every country of ISO 3166-1 and Kosovo [documents 5]', () => {
  expect(countries.size).toBe(250)
  for (const country of countries) expect(AddressInput.parse({ country: country.toLowerCase() }).country).toBe(country)
})

test('takes all provinces and territories of Canada, and no unknown state [documents 14]', () => {
  for (const state of ['YT', 'NT', 'NU', 'CA-QC']) expect(AddressInput.safeParse({ country: 'CA', state }).success).toBe(true)
  expect(AddressInput.safeParse({ country: 'US', state: 'ZZ' }).error?.issues).toMatchObject([{ path: ['state'] }])
  const rate = { country: 'US', state: 'US-ZZ', name: 'Sales tax', percentage: 1 }
  expect(createTaxRate.request.safeParse(rate).error?.issues).toMatchObject([{ path: ['state'] }])
})

test('an address of the United States or Canada lacks its state, one of Germany does not [documents 14]', () => {
  const missing = (address: object) => findMissingAddressParts(AddressInput.parse(address))
  expect(missing({ country: 'US', postal_code: '11205' })).toEqual(['state'])
  expect(missing({ country: 'CA' })).toEqual(['postal_code', 'state'])
  expect(missing({ country: 'DE', postal_code: '10117' })).toEqual([])
})

test.each(['\u0000', '\u0007', '\u001b', '\u007f', '\u0085'])(
  'no printed field takes the control character %j [documents 6]',
  (control) => {
    const text = `Ada${control}LLC`
    expect(AddressInput.safeParse({ country: 'US', line1: text }).error?.issues).toMatchObject([{ path: ['line1'] }])
    expect(updateOrder.request.safeParse({ id, billing_name: text }).error?.issues).toMatchObject([{ path: ['billing_name'] }])
    expect(correctInvoice.request.safeParse({ id, billing_name: text }).error?.issues).toMatchObject([{ path: ['billing_name'] }])
    expect(updateInvoiceSettings.request.safeParse({ footer: text }).error?.issues).toMatchObject([{ path: ['footer'] }])
  },
)

test('removes what changes the writing direction and keeps the text [documents 6]', () => {
  expect(withoutDirectionControls('Ada\u202eCLL\u2066 שלום\u200f!')).toBe('AdaCLL שלום\u200f!')
})
