import { AddressInput } from '@quittance/contracts/address'
import { expect, test } from 'vitest'
import { countryCodes, hasPostalCodes, listCountries, listStates } from './countries.ts'

test('lists every country once, named and sorted in the language', () => {
  expect(new Set(countryCodes).size).toBe(countryCodes.length)
  expect(countryCodes.length).toBe(247)
  const german = listCountries('de').map(({ label }) => label)
  expect(german.indexOf('Ägypten')).toBeLessThan(german.indexOf('Belgien'))
  expect(listCountries('ja').find(({ value }) => value === 'DE')?.label).toBe('ドイツ')
})

test('the states of the US and the provinces of Canada are those that the API accepts [pages 21]', () => {
  for (const country of ['US', 'CA']) {
    for (const { value } of listStates(country)) expect(AddressInput.parse({ country, state: value }).state).toBe(value)
  }
  expect([listStates('US').length, listStates('CA').length, listStates('DE').length]).toEqual([57, 13, 0])
})

test('countries without postal codes have no field for one [pages 21]', () => {
  expect([hasPostalCodes('DE'), hasPostalCodes('HK'), hasPostalCodes('AE')]).toEqual([true, false, false])
})
