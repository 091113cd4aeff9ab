import { expect, test } from 'vitest'
import { addressLines } from './address-lines.ts'

const empty = { line1: null, line2: null, postal_code: null, city: null, state: null }

test('an American address has town, state and code in one line', () => {
  const address = { ...empty, line1: '1 Main St', line2: 'Apt 4', postal_code: '78701', city: 'Austin', state: 'US-TX', country: 'US' }
  expect(addressLines(address, 'en')).toEqual(['1 Main St', 'Apt 4', 'Austin, Texas 78701', 'United States'])
})

test('a German address has the code before the town', () => {
  const address = { ...empty, line1: 'Torstraße 1', postal_code: '10119', city: 'Berlin', country: 'DE' }
  expect(addressLines(address, 'en')).toEqual(['Torstraße 1', '10119 Berlin', 'Germany'])
})

test('what is absent leaves no empty line and no stray comma', () => {
  expect(addressLines({ ...empty, country: 'AE' }, 'en')).toEqual(['United Arab Emirates'])
  expect(addressLines({ ...empty, city: 'Hong Kong', country: 'HK' }, 'en')).toEqual(['Hong Kong', 'Hong Kong SAR China'])
  expect(addressLines({ ...empty, state: 'CA-QC', country: 'CA' }, 'en')).toEqual(['Quebec', 'Canada'])
})

test('a country that does not exist is printed as it is', () => {
  expect(addressLines({ ...empty, country: '1!' }, 'en')).toEqual(['1!'])
})
