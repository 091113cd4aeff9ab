import type { Address } from '@quittance/contracts/address'
import type { Html } from '@quittance/pages/html'
import { expect, test } from 'vitest'
import type { PageContext } from '../page/page-context.ts'
import { addressBlock } from './address-fields.ts'

const address: Address = {
  line1: '1 Market St',
  line2: null,
  postal_code: '94105',
  city: 'San Francisco',
  state: 'US-CA',
  country: 'US',
}

function readLines(block: Html): (string | undefined)[] {
  return [...block.text.matchAll(/<bdi>(.*?)<\/bdi>/g)].map(([, line]) => line)
}

test('an address that is fixed has all of its lines, with the names of state and country', () => {
  const [german, english] = [{ language: 'de' } as PageContext, { language: 'en' } as PageContext]
  expect(readLines(addressBlock('Ada', address, german))).toEqual([
    'Ada',
    '1 Market St',
    '94105 San Francisco',
    'California',
    'Vereinigte Staaten',
  ])
  const short: Address = { ...address, line1: null, postal_code: null, city: null, state: 'Cork', country: 'IE' }
  expect(readLines(addressBlock(null, short, english))).toEqual(['Cork', 'Ireland'])
  expect(readLines(addressBlock('Ada', null, english))).toEqual(['Ada'])
})
